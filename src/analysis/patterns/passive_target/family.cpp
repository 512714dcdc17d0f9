/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/passive_target/passive.h"

namespace mora::analysis {

MetricList passive_target_metrics() {
  using namespace passive;
  return {&lock_contention_info,
          &lock_all_contention_info,
          &late_unlock_info,
          &wait_for_progress_info,
          &flush_wait_info,
          &atomic_retry_sync_info,
          &lock_contention_comm_info,
          &late_unlock_comm_info,
          &wait_for_progress_comm_info,
          &request_completion_info,
          &atomic_retry_info,
          &rma_transfers_info,
          &rma_bytes_info,
          &atomic_retries_info};
}

}  // namespace mora::analysis
