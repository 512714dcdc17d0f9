/// MPI Initialization Completion: the completion formula of barriers for MPI_Init. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo initialization_completion_info{
    "initialization-completion",
    "MPI Initialization Completion",
    "mpi_init_completion",
    "init-finalize",
    cube::Unit::seconds,
    true,
    "A rank leaves MPI_Init after the first one has left it.",
    "c_p = [L_p - max(min_q L_q, min(max_q E_q, L_p))]+ with enter and leave of MPI_Init or MPI_Init_thread over all "
    "ranks of MPI_COMM_WORLD.",
    "Scalasca 2.6, MPI Initialization Completion Time",
    "Setting up connections takes some ranks longer than others: many ranks, slow nodes, an overloaded machine.",
    "Unavoidable in small amounts; for large ones compare nodes and the start-up options of the MPI library."};

void initialization_completion(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(initialization_completion_info.id);
  add_barrier_completions(metric, instance.members, sink);
}

}  // namespace mora::analysis
