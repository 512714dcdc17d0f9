/// `mora predict --learn`: a correction from recorded runs (predict/learning/).
#pragma once

#include "base/progress.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// The options are those of `mora predict`, the positionals runs (PATH or APPLICATION=PATH). Exit code 1: the
/// correction does not beat the model. Errors: usage; unreadable.
Result<int> learn(const Arguments& arguments, const ProgressCallback& progress);

}  // namespace mora::cli
