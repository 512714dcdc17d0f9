/// Wait at Window Free: the barrier formula with full overlap, for MPI_Win_free. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_free_info{
    "wait-at-free",
    "Wait at Window Free",
    "mpi_rma_wait_at_free",
    "window-handling",
    cube::Unit::seconds,
    true,
    "A rank waits in MPI_Win_free for the last one to enter.",
    "MPI_Win_free over the window's communicator: w_p = [max_q B_q - B_p]+ if min_q X_q > max_q B_q, else 0.",
    "Hermanns 2004, 6.3; Scalasca 2.6, MPI Wait at Window Free Time",
    "The ranks do not reach MPI_Win_free together. The cause is the rank that enters last.",
    "Free windows at the end of the program, or where ranks are together anyway; balance the work before.",
    DelayClass::window};

void wait_at_free(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_free_info.id);
  add_full_overlap_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
