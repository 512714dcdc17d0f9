/// The domain "one-sided rules": RMA checker and matrix of transfers (README.md).
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

/// For engine/domains.cpp.
Domain rma_rules_domain();

}  // namespace mora::analysis
