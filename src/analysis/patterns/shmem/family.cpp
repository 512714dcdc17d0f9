/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/shmem/shmem_metrics.h"

namespace mora::analysis {

MetricList shmem_metrics() {
  return {&shmem_wait_at_init_info,    &shmem_wait_at_finalize_info, &shmem_wait_at_barrier_info,
          &shmem_lock_contention_info, &shmem_late_broadcast_info,   &shmem_wait_at_nxn_info};
}

}  // namespace mora::analysis
