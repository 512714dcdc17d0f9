/// The domain "active target": epochs of post-start-complete-wait and of fences (domain.cpp).
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain active_target_domain();

}  // namespace mora::analysis
