/// Wait at MPI Finalize: the barrier formula over all ranks. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_finalize_info{
    "wait-at-finalize",
    "Wait at MPI Finalize",
    "mpi_finalize_wait",
    "init-finalize",
    cube::Unit::seconds,
    true,
    "A rank waits in MPI_Finalize for the last one to get there.",
    "w_p = [min(max_q E_q, L_p) - E_p]+ with enter and leave of MPI_Finalize over all ranks of MPI_COMM_WORLD.",
    "Scalasca 2.6, Wait at MPI Finalize Time",
    "The program's end is unbalanced: the rank that enters MPI_Finalize last computes or writes longer than the "
    "others.",
    "Share the last piece of work (often output by rank 0) among the ranks.",
    DelayClass::start_and_end};

void wait_at_finalize(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_finalize_info.id);
  add_barrier_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
