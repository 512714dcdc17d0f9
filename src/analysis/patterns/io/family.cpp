/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/io/io_metrics.h"

namespace mora::analysis {

MetricList io_metrics() { return {&io_collective_wait_info, &file_collective_wait_info}; }

}  // namespace mora::analysis
