/// Wait at Scan: a member of a prefix reduction waits for a larger rank, whose contribution it does not get: some
/// algorithms exchange partial results both ways (recursive doubling). The begins of the larger ranks are kept in a
/// sorted tree, from the last rank on. O(members log members).
#include <map>

#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_scan_info{
    "wait-at-scan",
    "Wait at Scan",
    "mora_wait_scan",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank cannot leave a prefix reduction before a larger rank has entered, although it needs nothing of it.",
    "MPI_Scan, MPI_Exscan, member k in rank order: P_k = min(max over q <= k with q = k or sent bytes > 0 of B_q, "
    "X_k), "
    "S_k = max over q > k with sent bytes > 0 and B_q <= X_k of B_q: w_k = S_k - P_k, if X_k - S_k <= w_k. Nothing for "
    "members that send and receive 0 bytes.",
    "Mora's rule waits-in-scans",
    "The library's algorithm makes smaller ranks wait for larger ones. The cause is the larger rank that came last "
    "before the wait ended.",
    "Balance the work; use MPI_Iscan and work meanwhile, or an algorithm that sends in one direction only.",
    DelayClass::prefix};

void wait_at_scan(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_scan_info.id);
  const std::span<const Member> members = instance.members;
  std::vector<Nanoseconds> ready(members.size());  // P, not cut at X
  Nanoseconds last = INT64_MIN;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (members[k].sends) last = std::max(last, members[k].begin);
    ready[k] = std::max(last, members[k].begin);
  }
  std::map<Nanoseconds, std::size_t> larger;  // begins of senders behind k; of equal ones the smallest rank
  for (std::size_t k = members.size(); k-- > 0;) {
    const Member& m = members[k];
    const auto after = larger.upper_bound(m.end);
    if (after != larger.begin() && (m.sends || m.receives) && !m.broken) {
      const auto& [begin, rank] = *std::prev(after);
      const Nanoseconds amount = begin - ready[k];
      const Member& cause = members[rank];
      if (amount > 0 && m.end - begin <= amount)
        sink.add(Wait{metric, m.location, m.call_path, ready[k], amount, cause.location, cause.call_path});
    }
    if (m.sends) larger[m.begin] = k;
  }
}

}  // namespace mora::analysis
