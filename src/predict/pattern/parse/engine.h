/// Steps of all ranks in turn, into the files of phases.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/progress.h"
#include "predict/pattern/parse/communicators.h"
#include "predict/pattern/parse/output.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/parse/step.h"

namespace mora::predict {

/// Runs over the source once (twice if ranks are missing), writes to `files` (the caller finishes them) and fills
/// `result`.
Result<void> parse_steps(StepSource& source, ParseFiles& files, const ParseOptions& options, ParseResult& result,
                         const ProgressCallback& progress);

/// communicators.txt as MinI Parser writes it: a Python literal per line, in which members of split communicators are
/// strings (rule `pattern-parser`, docs/rules.md).
std::string communicators_text(const ParseResult& result);

}  // namespace mora::predict
