/// Asserted Fence: what Wait at Fence leaves out because the fence did not synchronise (Mora's rule wait-at-fence).
/// O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo asserted_fence_info{
    "asserted-fence",
    "Asserted Fence",
    "mora_asserted_fence",
    "fence",
    cube::Unit::seconds,
    false,
    "Time before the last rank entered a fence that did not synchronise; not counted as waiting.",
    "a_p = [min(max_q B_q, X_p) - B_p]+ if min_q X_q <= max_q B_q (no full overlap), else 0.",
    "Mora's rule wait-at-fence",
    "A rank left the fence before the last one entered, so the fence did not synchronise, and the time in it cannot be "
    "counted as Wait at Fence.",
    "Nothing to do if the fence has assertions; otherwise check the clocks (data quality)."};

void asserted_fence(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(asserted_fence_info.id);
  if (!overlaps_fully(instance.members, [](const Member&) { return true; })) {
    add_barrier_waits(metric, instance.members, sink);
  }
}

}  // namespace mora::analysis
