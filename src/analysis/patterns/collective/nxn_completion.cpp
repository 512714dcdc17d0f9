/// NxN Completion: time in an N-to-N operation after the first member of the synchronising set has left it. Who
/// synchronises depends on the overlap, as in wait_at_nxn.cpp. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo nxn_completion_info{
    "nxn-completion",
    "NxN Completion",
    "mpi_nxn_completion",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank leaves an all-to-all operation after the first one has left it.",
    "Over the synchronising set: with full overlap all members that take part, c_p = [X_p - max(min_q X_q, min(max_q "
    "B_q, X_p))]+; with partial overlap the receivers, c_p = [X_p - max(min_q X_q, min(S, X_p), B_p)]+ with q over "
    "receivers and S the begin of the last sender (see wait-at-nxn); B_p there keeps wait and completion within the "
    "call.",
    "Scalasca 2.6, MPI N x N Completion Time",
    "All ranks are there and the operation still takes long: large messages, a slow network, other programs on the "
    "processors. No single rank is the cause.",
    "Send less or less often (combine reductions); bind ranks to cores; try another algorithm of the MPI library."};

void nxn_completion(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(nxn_completion_info.id);
  const auto takes_part = [](const Member& m) { return m.sends || m.receives; };
  const std::size_t last_sender = latest(instance.members, [](const Member& m) { return m.sends; });
  if (last_sender == no_member) return;
  const bool full = overlaps_fully(instance.members, takes_part);
  const auto synchronises = [&](const Member& m) { return full ? takes_part(m) : m.receives; };
  const Nanoseconds last_begin =
      full ? instance.members[latest(instance.members, takes_part)].begin : instance.members[last_sender].begin;
  Nanoseconds first_end = INT64_MAX;
  for (const Member& m : instance.members) {
    if (synchronises(m) && m.end < first_end) first_end = m.end;
  }
  for (const Member& m : instance.members) {
    if (!synchronises(m) || m.broken) continue;
    Nanoseconds from = last_begin < m.end ? last_begin : m.end;
    if (first_end > from) from = first_end;
    if (m.begin > from) from = m.begin;
    if (m.end > from) sink.add(Wait{metric, m.location, m.call_path, from, m.end - from});
  }
}

}  // namespace mora::analysis
