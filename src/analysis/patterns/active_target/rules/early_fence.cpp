/// Early Fence: the part of Wait at Fence in which others still accessed the rank's window. Never more than Wait at
/// Fence, whose condition and begin it takes over. O(members).
#include <algorithm>

#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

const MetricInfo early_fence_info{
    "early-fence",
    "Early Fence",
    "mpi_rma_early_fence",
    "wait-at-fence",
    cube::Unit::seconds,
    true,
    "The part of Wait at Fence in which others were still accessing the waiting rank's window.",
    "A_p = max over the members q != p of the leave of their last data call towards p between their previous fence on "
    "the window and this one. If B_p < A_p <= X_p and the fence overlaps fully (as for wait-at-fence): w_p = min(A_p - "
    "B_p, wait-at-fence of p), else 0. Accesses in lock or post-start-complete-wait epochs take no part; nor does an "
    "epoch that reaches into a stretch without recording.",
    "Scalasca 2.6, MPI Early Fence Time; Mora's rule early-fence",
    "The rank reaches the fence while its partners still put into or get from its window: it has less to do than they, "
    "and the accesses come late in their epoch. The cause is the rank whose access towards it ended last.",
    "Issue the accesses at the beginning of the epoch and compute after them; move work to the rank that waits, or "
    "between its accesses and the fence; combine many small accesses.",
    DelayClass::none,
    CauseDid::stayed};

void early_fence(const CollectiveInstance& instance, std::span<const FenceAccess> accesses, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(early_fence_info.id);
  const auto everyone = [](const Member&) { return true; };
  if (instance.members.size() < 2 || !overlaps_fully(instance.members, everyone)) return;
  const Nanoseconds last_begin = instance.members[latest(instance.members, everyone)].begin;
  for (std::size_t p = 0; p < instance.members.size(); ++p) {
    const Member& m = instance.members[p];
    const FenceAccess& a = accesses[p];
    if (m.broken || a.last_towards == no_time || a.last_towards <= m.begin || a.last_towards > m.end) continue;
    const Nanoseconds waited = last_begin - m.begin;  // min(last_begin, X_p): it overlaps fully
    const Nanoseconds amount = std::min(a.last_towards - m.begin, waited);
    if (amount > 0) sink.add(Wait{metric, m.location, m.call_path, m.begin, amount, a.by, a.by_call_path});
  }
}

}  // namespace mora::analysis
