/// `mora recover` without its printing.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "experiment/convert/convert.h"

namespace mora::experiment {

/// Makes experiments of the journals in `directory`/journal. Errors: no such directory, no journals, damaged beyond
/// use, no space (then the journals stay). Of the options the caller gives how: what is known of the run is added.
Result<std::vector<Manifest>> recover(const std::string& directory, ConvertOptions options);

}  // namespace mora::experiment
