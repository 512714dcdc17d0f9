/// Early Reduce: the root of an N-to-1 operation waits for its last sender. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo early_reduce_info{
    "early-reduce",
    "Early Reduce",
    "mpi_earlyreduce",
    "collective",
    cube::Unit::seconds,
    true,
    "The root of a reduction or gather waits for the last sender.",
    "MPI_Reduce, MPI_Gather(v), only on the root r: w_r = [min(max over members q with sent bytes > 0 of B_q, X_r) - "
    "B_r]+. This is the definition of Scalasca 2.6 (last sender); older versions measured to the first sender. Nothing "
    "if the root receives 0 bytes. Clock violations are cut at X_r and counted.",
    "Scalasca 2.6, MPI Early Reduce Time",
    "The root arrives before those whose data it needs. The cause is the sender that arrives last: look at its "
    "computation.",
    "Balance the work; let the root do something else first; use MPI_Ireduce or MPI_Igather.",
    DelayClass::n_to_one};

void early_reduce(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(early_reduce_info.id);
  if (instance.root == no_member) return;
  const Member& root = instance.members[instance.root];
  if (!root.receives) return;
  const std::size_t last = latest(instance.members, [](const Member& m) { return m.sends; });
  if (last == no_member) return;
  const Member& sender = instance.members[last];
  if (sender.begin > root.end) sink.clock_violation(root.location);
  add_wait_until(metric, root, sender.begin, sender, sink);
}

}  // namespace mora::analysis
