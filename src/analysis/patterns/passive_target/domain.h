/// The domain "passive target": lock contention, progress, request completion, repeated atomics (domain.cpp).
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain passive_target_domain();

}  // namespace mora::analysis
