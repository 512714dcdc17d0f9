/// The metrics of this folder, in display order.
#include "analysis/metrics/families.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

MetricList point_to_point_metrics() {
  return {&late_sender_info,
          &wrong_order_info,
          &wrong_order_different_source_info,
          &wrong_order_same_source_info,
          &late_sender_avoidable_info,
          &late_receiver_info,
          &send_progress_info,
          &polling_info,
          &unknown_wait_info};
}

}  // namespace mora::analysis
