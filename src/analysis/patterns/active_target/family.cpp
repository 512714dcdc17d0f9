#include "analysis/patterns/families.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

MetricList active_target_metrics() {
  return {&wait_at_create_info, &wait_at_free_info, &wait_at_fence_info, &asserted_fence_info};
}

}  // namespace mora::analysis
