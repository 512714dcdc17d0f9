#include "analysis/patterns/families.h"

namespace mora::analysis {

MetricList cause_metrics() { return {}; }

}  // namespace mora::analysis
