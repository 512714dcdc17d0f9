/// Early Scan: a member of a prefix reduction waits for the last sender of lower rank: a running maximum over the
/// ranks. O(members).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo early_scan_info{
    "early-scan",
    "Early Scan",
    "mpi_earlyscan",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank waits in a prefix reduction for a smaller rank.",
    "MPI_Scan, MPI_Exscan, member k in rank order: w_k = [min(max over q <= k with sent bytes > 0 of B_q, X_k) - "
    "B_k]+. Nothing for members that send and receive 0 bytes. Clock violations are cut at X_k and counted.",
    "Scalasca 2.6, MPI Early Scan Time",
    "A rank needs the partial result of all smaller ranks; one of them arrives late. The cause is the last of these.",
    "Balance the work, above all of the small ranks; do independent work before the scan.",
    DelayClass::prefix};

void early_scan(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(early_scan_info.id);
  std::size_t last = no_member;
  for (std::size_t k = 0; k < instance.members.size(); ++k) {
    const Member& m = instance.members[k];
    if (m.sends && (last == no_member || m.begin > instance.members[last].begin)) last = k;
    if (last == no_member || last == k || (!m.sends && !m.receives)) continue;
    const Member& sender = instance.members[last];
    if (sender.begin > m.end) sink.clock_violation(m.location);
    add_wait_until(metric, m, sender.begin, sender, sink);
  }
}

}  // namespace mora::analysis
