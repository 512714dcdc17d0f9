/// Late Broadcast: the receivers of a 1-to-N operation wait for the root. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo late_broadcast_info{
    "late-broadcast",
    "Late Broadcast",
    "mpi_latebroadcast",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank waits in a broadcast or scatter for data that the root sends late.",
    "MPI_Bcast, MPI_Scatter(v) with root r: w_p = min(B_r, X_p) - B_p for members with received bytes > 0 and B_p < "
    "B_r; the root itself 0. Nothing if the root sends 0 bytes. B_r > X_p contradicts the clocks: cut at X_p, counted "
    "as clock-violation.",
    "Scalasca 2.6, MPI Late Broadcast Time",
    "The root arrives later than those who need its data. Look at what the root computes (or reads) before the call.",
    "Let the root send before it does its own work; give the root less to do; use MPI_Ibcast and complete it when the "
    "data are needed.",
    DelayClass::one_to_n};

void late_broadcast(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(late_broadcast_info.id);
  if (instance.root == no_member) return;
  const Member& root = instance.members[instance.root];
  if (!root.sends) return;
  for (const Member& m : instance.members) {
    if (!m.receives || &m == &root) continue;
    if (root.begin > m.end) sink.clock_violation(m.location);
    add_wait_until(metric, m, root.begin, root, sink);
  }
}

}  // namespace mora::analysis
