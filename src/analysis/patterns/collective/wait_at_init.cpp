/// Wait at Init: the barrier formula over all ranks. Depends on the launcher rather than the program (Mora's rule
/// startup-is-nobodys-fault). O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_init_info{
    "wait-at-init",
    "Wait at Init",
    "mora_init_wait",
    "init-finalize",
    cube::Unit::seconds,
    true,
    "A rank waits in MPI_Init for the last one to start.",
    "w_p = [min(max_q E_q, L_p) - E_p]+ with enter and leave of MPI_Init or MPI_Init_thread over all ranks of "
    "MPI_COMM_WORLD.",
    "Scalasca 2.6, Wait at MPI Barrier Time (the same formula)",
    "A rank reaches MPI_Init late: slow program start, libraries or input read from a busy file server before "
    "MPI_Init.",
    "Initialise MPI first and read input afterwards; keep programs and libraries on a fast file system.",
    DelayClass::start_and_end};

void wait_at_init(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_init_info.id);
  add_barrier_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
