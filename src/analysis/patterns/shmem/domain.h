/// OpenSHMEM as a domain of the engine.
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain shmem_domain();

}  // namespace mora::analysis
