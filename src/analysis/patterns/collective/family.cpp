/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

MetricList collective_metrics() {
  return {&wait_at_init_info,       &initialization_completion_info,
          &wait_at_finalize_info,   &wait_at_barrier_info,
          &barrier_completion_info, &early_reduce_info,
          &early_scan_info,         &wait_at_scan_info,
          &late_broadcast_info,     &wait_at_nxn_info,
          &nxn_completion_info,     &wait_at_neighborhood_info};
}

}  // namespace mora::analysis
