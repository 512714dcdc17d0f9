/// Wait at Fence: the barrier formula, only if the fence overlaps fully: a fence with MPI_MODE_NOPRECEDE need not
/// synchronise (Mora's rule wait-at-fence). O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_fence_info{
    "wait-at-fence",
    "Wait at Fence",
    "mpi_rma_wait_at_fence",
    "fence",
    cube::Unit::seconds,
    true,
    "A rank waits in MPI_Win_fence for the last one to enter.",
    "w_p = [max_q B_q - B_p]+ over the window's communicator if min_q X_q > max_q B_q; 0 if the fence does not overlap "
    "fully (it did not synchronise, as with MPI_MODE_NOPRECEDE): see asserted-fence.",
    "Hermanns 2004, 6.3; Kühnal 2006, 6; Scalasca 2.6, MPI Wait at Fence Time; Mora's rule wait-at-fence",
    "The ranks do not reach the fence together. The cause is the rank that enters last: look at its computation in the "
    "epoch before.",
    "Balance the work of the epoch; give MPI_MODE_NOPRECEDE or MPI_MODE_NOSUCCEED where true; use "
    "post-start-complete-wait among those ranks that really exchange data.",
    DelayClass::window};

void wait_at_fence(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_fence_info.id);
  add_full_overlap_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
