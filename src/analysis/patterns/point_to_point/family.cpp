#include "analysis/patterns/families.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

MetricList point_to_point_metrics() { return {&late_sender_info, &late_receiver_info}; }

}  // namespace mora::analysis
