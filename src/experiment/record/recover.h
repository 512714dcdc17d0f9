/// `mora recover` without its printing.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "experiment/manifest.h"

namespace mora::experiment {

/// Makes experiments of the journals in `directory`/journal. Errors: no such directory, no journals, damaged beyond
/// use, no space (then the journals stay).
Result<std::vector<Manifest>> recover(const std::string& directory, bool keep_journals,
                                      const ProgressCallback& progress);

}  // namespace mora::experiment
