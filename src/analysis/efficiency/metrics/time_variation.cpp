/// Time variation: how differently the members of a collective leave it. Source: DVM analyser, 4.1 and 5.3.2.
/// O(members).
#include <algorithm>

#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo time_variation_info{
    "time-variation",
    "Time Variation",
    "mora_time_variation",
    "",
    cube::Unit::seconds,
    false,
    "How much earlier than the last member each member left a collective.",
    "max_q X_q - X_p at every member's call, for each complete instance as potential-synchronization-collective. "
    "Non-blocking: L of the completing calls, at the completing call, if all members completed it.",
    "DVM analyser, 4.1; DVM analyser, 5.3.2; Mora's rule potential-synchronisation",
    "Members leave an operation at different times because of how it is implemented, or of what the network looks "
    "like. Reliable if it is systematic: the same ranks are always first.",
    "Place ranks differently on the nodes; choose another algorithm of the MPI library for this operation; give the "
    "ranks that leave first more to compute after it."};

void add_time_variation(std::span<const Member> members, WaitSink& sink) {
  static const cube::MetricId variation = metric_index(time_variation_info.id);
  Nanoseconds last = INT64_MIN;
  for (const Member& m : members) {
    if (m.broken) return;
    last = std::max(last, m.end);
  }
  for (const Member& m : members) sink.count(variation, m.call_path, m.location, last - m.end);
}

}  // namespace mora::analysis
