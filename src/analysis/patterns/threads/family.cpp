#include "analysis/patterns/families.h"

namespace mora::analysis {

MetricList thread_metrics() { return {}; }

}  // namespace mora::analysis
