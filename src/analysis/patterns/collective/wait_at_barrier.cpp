/// Wait at Barrier: members wait for the last one to enter. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_barrier_info{
    "wait-at-barrier",
    "Wait at Barrier",
    "mpi_barrier_wait",
    "barrier",
    cube::Unit::seconds,
    true,
    "A rank waits in a barrier for the last one to enter.",
    "w_p = [min(max_q B_q, X_p) - B_p]+ over all members q of the communicator; max B > X_p contradicts the clocks: "
    "cut at X_p, counted as clock-violation.",
    "Scalasca 2.6, Wait at MPI Barrier Time",
    "The ranks do not reach the barrier together. The cause is the rank that enters last: look at its computation "
    "before the barrier.",
    "Balance the work before the barrier; remove the barrier if nothing depends on it.",
    DelayClass::barrier};

void wait_at_barrier(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_barrier_info.id);
  const Member& last = instance.members[latest(instance.members, [](const Member&) { return true; })];
  for (const Member& m : instance.members) {
    if (last.begin > m.end) sink.clock_violation(m.location);
  }
  add_barrier_waits(metric, instance.members, sink);
}

}  // namespace mora::analysis
