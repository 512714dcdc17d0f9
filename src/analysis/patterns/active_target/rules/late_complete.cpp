/// Late Complete: the part of Early Wait in which no origin accessed the window any more. What all origins together
/// could have avoided: Kühnal 2006 leaves open what to take of several origins (Mora's rule late-complete). O(origins).
#include <algorithm>

#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

const MetricInfo late_complete_info{
    "late-complete",
    "Late Complete",
    "mpi_rma_late_complete",
    "early-wait",
    cube::Unit::seconds,
    true,
    "The part of Early Wait in which no origin accessed the window any more, but not all had called MPI_Win_complete.",
    "With M of early-wait and A = max over the origins of the leave of their last data call towards this target in the "
    "access epoch: w = [min(M, L(wait)) - max(A, E(wait))]+, a part of early-wait. It is what all origins together "
    "could have avoided by completing at once after their last access. 0 if no origin accessed this target in the "
    "epoch. Example: wait entered at 10, last access of one origin until 30 and complete at 31, of the other until 10 "
    "and complete at 34: Early Wait 24, Late Complete 4.",
    "Kühnal 2006, 6; Hermanns 2004, 6.3; Scalasca 2.6, MPI Late Complete Time; Mora's rule late-complete",
    "The cause does something else between its last put or get and MPI_Win_complete, while the target waits. The cause "
    "named is the origin that completes last: look at its computation directly before MPI_Win_complete.",
    "Call MPI_Win_complete directly after the last access and compute afterwards. If the transfers are to overlap with "
    "computation, let the target compute during that time as well.",
    DelayClass::none};

void late_complete(const ExposureTransaction& transaction, const SeenAccess& last, Nanoseconds until, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(late_complete_info.id);
  Nanoseconds last_access = no_time;
  for (const SeenAccess& a : transaction.accesses) last_access = std::max(last_access, a.last_access);
  if (last_access == no_time) return;
  const EpochCall& wait = transaction.epoch.close;
  const Nanoseconds from = std::max(last_access, wait.enter);
  if (from >= until) return;
  sink.add(Wait{metric, wait.location, wait.call_path, from, until - from, last.location, last.call_path});
}

}  // namespace mora::analysis
