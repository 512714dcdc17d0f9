/// The metrics of this folder, in display order.
#include "analysis/patterns/families.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

MetricList point_to_point_metrics() {
  return {&late_sender_info,   &wrong_order_info, &wrong_order_different_source_info, &wrong_order_same_source_info,
          &late_receiver_info, &polling_info};
}

}  // namespace mora::analysis
