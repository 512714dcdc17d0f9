/// Wait at NxN. If all members overlap (none left before the last one entered), all waited for the last one; if not,
/// the operation did not synchronise all of them, and only receivers can have waited, for the last sender. Alltoallv
/// and Alltoallw by the recorded counts. O(members), with counts O(sum of the lists).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_nxn_info{
    "wait-at-nxn",
    "Wait at NxN",
    "mpi_wait_nxn",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank waits in an all-to-all operation for the last one to enter.",
    "MPI_Allreduce, Allgather(v), Alltoall, Reduce_scatter(_block); members that send and receive 0 bytes take no "
    "part. Full overlap (min_q X_q > max_q B_q): w_p = [min(max_q B_q, X_p) - B_p]+ for everyone. Partial overlap: S = "
    "max over senders (sent bytes > 0) of B_q; w_p = [min(S, X_p) - B_p]+ for receivers (received bytes > 0), others "
    "0. MPI_Alltoallv and Alltoallw: S = max B_q over the ranks q that p really receives bytes from (recorded counts "
    "per peer), w_p = [min(S, X_p) - B_p]+; without recorded counts 0. S > X_p of a receiver contradicts the clocks: "
    "cut at X_p, counted as clock-violation.",
    "Scalasca 2.6, MPI Wait at N x N Time; Mora's rule true-partners",
    "Each rank needs data of all others, and one of them arrives late. The cause is the rank that enters last: look at "
    "its computation before the call.",
    "Balance the work; do independent work before the call, or use the non-blocking form and complete it later.",
    DelayClass::n_to_n};

namespace {

bool takes_part(const Member& m) { return m.sends || m.receives; }

}  // namespace

void wait_at_nxn(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_nxn_info.id);
  const std::size_t last_sender = latest(instance.members, [](const Member& m) { return m.sends; });
  if (last_sender == no_member) return;
  const Member& sender = instance.members[last_sender];
  for (const Member& m : instance.members) {
    if (m.receives && sender.begin > m.end) sink.clock_violation(m.location);
  }
  if (overlaps_fully(instance.members, takes_part)) {
    const Member& last = instance.members[latest(instance.members, takes_part)];
    for (const Member& m : instance.members) {
      if (takes_part(m)) add_wait_until(metric, m, last.begin, last, sink);
    }
    return;
  }
  for (const Member& m : instance.members) {
    if (m.receives) add_wait_until(metric, m, sender.begin, sender, sink);
  }
}

void wait_at_true_nxn(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_nxn_info.id);
  add_partner_waits(metric, instance, sink);
}

}  // namespace mora::analysis
