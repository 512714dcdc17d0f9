/// The list of domains: families of wait states with halves of their own (core/domain.h). A new one is a line in .cpp.
#pragma once

#include <vector>

#include "analysis/core/domain.h"

namespace mora::analysis {

/// All domains that are not built into the matcher, in the order in which they are run.
const std::vector<Domain>& domains();

}  // namespace mora::analysis
