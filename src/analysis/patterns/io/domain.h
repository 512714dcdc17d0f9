/// Collective operations on files as a domain of the engine.
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain io_domain();

}  // namespace mora::analysis
