/// Late Post: MPI_Win_start or MPI_Win_complete blocks until the last target has posted. Which of the two blocks
/// depends on the MPI library (Mora's rule where-rma-blocks), and with several targets both may: each is charged with
/// the latest post that came during it. O(targets).
#include "analysis/patterns/active_target/rules/rules.h"

#include <vector>

namespace mora::analysis {

const MetricInfo late_post_info{
    "late-post",
    "Late Post",
    "mpi_rma_sync_late_post",
    "post-start-complete-wait",
    cube::Unit::seconds,
    true,
    "An origin waits in MPI_Win_start or MPI_Win_complete for a target that posts late.",
    "P = max over the targets t of the access epoch's group of E(post_t), where post_t opens the exposure epoch of t "
    "with the same number: the k-th access epoch of (origin, target, window) and the k-th exposure epoch of (target, "
    "origin, window). P >= L(complete) is legal: the access epoch ran ahead and was buffered, 0. Else for both calls "
    "c, "
    "MPI_Win_start and MPI_Win_complete: P_c = the latest of these posts before L(c); if P_c > E(c): w = P_c - E(c), "
    "charged to c. If both are 0, see early-transfer. Nothing if the post of one target is not "
    "known. The cause is the target whose post P_c was (ties: the smallest location).",
    "Kühnal 2006, 6; Scalasca 2.6, MPI Late Post Time in Synchronizations; Mora's rule late-post",
    "The cause's rank opens its window late: look at what it computes before MPI_Win_post. Which call of the origin "
    "waits says nothing about the program, only about the MPI library: MPICH and Open MPI wait in MPI_Win_start, Open "
    "MPI with osc=pt2pt in MPI_Win_complete.",
    "Post as early as the window's memory is free to be written, before the computation that does not need it; start "
    "the access epoch later; balance the work of targets. If the post is known to be done already (a message, a "
    "barrier), MPI_MODE_NOCHECK on both sides saves the handshake.",
    DelayClass::active_target};

const SeenExposure& latest_post(std::span<const SeenExposure> exposures) {
  const SeenExposure* last = &exposures.front();
  for (const SeenExposure& e : exposures) {
    if (e.post > last->post || (e.post == last->post && e.location < last->location)) last = &e;
  }
  return *last;
}

bool late_post(const AccessTransaction& transaction, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(late_post_info.id);
  if (transaction.exposures.empty()) return false;
  const AccessEpoch& epoch = transaction.epoch;
  if (latest_post(transaction.exposures).post >= epoch.complete.leave) return false;
  bool has_waited = false;
  for (const EpochCall* call : {&epoch.complete, &epoch.start}) {
    std::vector<SeenExposure> during;
    for (const SeenExposure& exposure : transaction.exposures) {
      if (exposure.post > call->enter && exposure.post < call->leave) during.push_back(exposure);
    }
    if (during.empty()) continue;
    has_waited = true;
    if (call->broken) continue;
    const SeenExposure& last = latest_post(during);
    sink.add(Wait{metric, call->location, call->call_path, call->enter, last.post - call->enter, last.location,
                  last.call_path});
  }
  return has_waited;
}

}  // namespace mora::analysis
