/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"

#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

MetricList active_target_metrics() {
  return {&wait_at_create_info,
          &wait_at_free_info,
          &wait_at_fence_info,
          &early_fence_info,
          &asserted_fence_info,
          &late_post_info,
          &early_wait_info,
          &late_complete_info,
          &early_transfer_info,
          &pairwise_synchronizations_info,
          &pairwise_synchronizations_unneeded_info};
}

}  // namespace mora::analysis
