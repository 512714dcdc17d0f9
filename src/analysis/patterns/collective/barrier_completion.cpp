/// Barrier Completion: time in a barrier after the first member has left it. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo barrier_completion_info{
    "barrier-completion",
    "Barrier Completion",
    "mpi_barrier_completion",
    "barrier",
    cube::Unit::seconds,
    true,
    "A rank leaves a barrier after the first one has left it.",
    "c_p = [X_p - max(min_q X_q, min(max_q B_q, X_p))]+ over all members q: time after all members had entered and the "
    "first had left.",
    "Scalasca 2.6, MPI Barrier Completion Time",
    "The barrier takes long to complete although all ranks are there: other programs or too many ranks on the "
    "processors, interrupts, a slow network. No single rank is the cause.",
    "Bind ranks to cores and leave one to the system; use fewer barriers; compare with another barrier algorithm of "
    "the MPI library."};

void barrier_completion(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(barrier_completion_info.id);
  add_barrier_completions(metric, instance.members, sink);
}

}  // namespace mora::analysis
