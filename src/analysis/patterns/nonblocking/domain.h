/// The domain of the non-blocking collectives, for engine/domains.cpp.
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain nonblocking_domain();

}  // namespace mora::analysis
