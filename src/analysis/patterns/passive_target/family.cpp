#include "analysis/patterns/families.h"

namespace mora::analysis {

MetricList passive_target_metrics() { return {}; }

}  // namespace mora::analysis
