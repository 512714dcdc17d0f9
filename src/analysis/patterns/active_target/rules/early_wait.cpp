/// Early Wait: MPI_Win_wait before the last origin completes. O(origins).
#include <algorithm>

#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

const MetricInfo early_wait_info{
    "early-wait",
    "Early Wait",
    "mpi_rma_early_wait",
    "post-start-complete-wait",
    cube::Unit::seconds,
    true,
    "A target waits in MPI_Win_wait until the last origin begins to complete its accesses.",
    "M = max over the origins of the exposure epoch's group of E(MPI_Win_complete) of their access epochs of the same "
    "number; w = [min(M, L(wait)) - E(wait)]+, charged to MPI_Win_wait on the target. M > L(wait) contradicts the "
    "clocks: cut at L(wait), counted as clock-violation. 0 if a successful MPI_Win_test ended the epoch (it never "
    "blocks), or if the complete of one origin is not known. The cause is the origin that completes last (ties: the "
    "smallest location).",
    "Kühnal 2006, 6; Hermanns 2004, 6.3 (Late All Complete); Scalasca 2.6, MPI Early Wait Time",
    "Either the target calls MPI_Win_wait too early (it has less to do than its origins), or the origins end their "
    "epochs too late. The child Late Complete is the second case; the rest is imbalance, or origins that were still "
    "accessing.",
    "Do work that does not need the window between MPI_Win_post and MPI_Win_wait; poll with MPI_Win_test; balance the "
    "work of origins and target.",
    DelayClass::active_target};

void early_wait(const ExposureTransaction& transaction, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(early_wait_info.id);
  if (transaction.accesses.empty()) return;
  const EpochCall& wait = transaction.epoch.close;
  if (transaction.epoch.by_test) return;
  const SeenAccess* last = &transaction.accesses.front();
  for (const SeenAccess& a : transaction.accesses) {
    if (a.complete > last->complete || (a.complete == last->complete && a.location < last->location)) last = &a;
  }
  if (last->complete > wait.leave) sink.clock_violation(wait.location);
  const Nanoseconds until = std::min(last->complete, wait.leave);
  if (until <= wait.enter || wait.broken) return;
  sink.add(
      Wait{metric, wait.location, wait.call_path, wait.enter, until - wait.enter, last->location, last->call_path});
  late_complete(transaction, *last, until, sink);
}

}  // namespace mora::analysis
