/// Wait at Window Create: the barrier formula with full overlap, for collective calls that create a window. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_create_info{
    "wait-at-create",
    "Wait at Window Create",
    "mpi_rma_wait_at_create",
    "window-handling",
    cube::Unit::seconds,
    true,
    "A rank waits in the creation of a window for the last one to enter.",
    "MPI_Win_create, MPI_Win_allocate(_shared), MPI_Win_create_dynamic over the window's communicator: w_p = [max_q "
    "B_q - B_p]+ if min_q X_q > max_q B_q, else 0.",
    "Hermanns 2004, 6.3; Scalasca 2.6, MPI Wait at Window Create Time",
    "The ranks do not reach the window's creation together. The cause is the rank that enters last.",
    "Create windows once and early, where ranks are together anyway; balance the work before.",
    DelayClass::window};

void wait_at_create(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_create_info.id);
  add_full_overlap_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
