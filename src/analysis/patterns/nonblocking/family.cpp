/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/nonblocking/needed_member.h"

namespace mora::analysis {

MetricList nonblocking_metrics() {
  return {&nonblocking_collective_wait_info,      &nonblocking_wait_at_barrier_info, &nonblocking_late_broadcast_info,
          &nonblocking_early_reduce_info,         &nonblocking_early_scan_info,      &nonblocking_wait_at_nxn_info,
          &nonblocking_wait_at_neighborhood_info, &nonblocking_progress_info,        &nonblocking_collective_time_info,
          &nonblocking_collective_overlap_info};
}

}  // namespace mora::analysis
