#include "analysis/patterns/families.h"

namespace mora::analysis {

MetricList io_metrics() { return {}; }

}  // namespace mora::analysis
