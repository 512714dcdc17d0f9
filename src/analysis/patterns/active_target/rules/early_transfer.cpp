/// Early Transfer: a data call that blocks until its own target has posted. Charged only where Late Post is not, so
/// that no nanosecond is in both. O(data calls of the epoch).
#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

const MetricInfo early_transfer_info{
    "early-transfer",
    "Early Transfer",
    "mpi_rma_comm_late_post",
    "one-sided",
    cube::Unit::seconds,
    true,
    "A put, get or accumulate blocks until its target has posted.",
    "Only in access epochs where Late Post is charged neither to MPI_Win_start nor to MPI_Win_complete. For every data "
    "call o of the epoch, with P_o = E(MPI_Win_post) of its own target's exposure epoch of the same number: w = P_o - "
    "E(o) if E(o) < P_o < L(o); charged to o on the origin. A call with several transfers is charged once, with the "
    "maximum. The cause is the target.",
    "Kühnal 2006, 6; Scalasca 2.6, MPI Late Post Time in Communications; Mora's rule late-post",
    "MPI_Win_start returned at once, and the first access had to wait for the window instead. It is Late Post at "
    "another call: the remedy is at the target, whose MPI_Win_post comes late. Only the first call of an epoch has a "
    "large value; the later ones do not wait.",
    "Post earlier at the target; do other work between MPI_Win_start and the first access; order the accesses so that "
    "the targets that post first are accessed first.",
    DelayClass::active_target};

void early_transfer(const AccessTransaction& transaction, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(early_transfer_info.id);
  const std::span<const DataCall> calls = transaction.epoch.calls;
  for (std::size_t i = 0; i < calls.size();) {
    const EpochCall& call = calls[i].call;
    const SeenExposure* last = nullptr;  // of the targets that this call accesses
    for (const std::uint64_t visit = calls[i].visit;
         i < calls.size() && calls[i].visit == visit && calls[i].call.location == call.location; ++i) {
      const SeenExposure& target = transaction.exposures[calls[i].target];
      if (target.post <= call.enter || target.post >= call.leave) continue;
      if (last == nullptr || target.post > last->post) last = &target;
    }
    if (last == nullptr || call.broken) continue;
    sink.add(Wait{metric, call.location, call.call_path, call.enter, last->post - call.enter, last->location,
                  last->call_path});
  }
}

}  // namespace mora::analysis
