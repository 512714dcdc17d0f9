#include "analysis/patterns/families.h"

namespace mora::analysis {

MetricList nonblocking_metrics() { return {}; }

}  // namespace mora::analysis
