#pragma once

#include <vector>

#include "analysis/core/domain.h"

namespace mora::analysis {

/// All domains that are not built into the matcher, in the order in which they are run.
const std::vector<Domain>& domains();

}  // namespace mora::analysis
