/// Without which member a member of a collective cannot finish: the last start on which its data, or its barrier,
/// depend. Pure functions.
#pragma once

#include <vector>

#include "analysis/patterns/pattern.h"

namespace mora::analysis {

/// Per member the index of the one with the latest begin among those it needs; no_member = needs no other, or only
/// itself. Ties: first. O(members), with partner lists O(their lengths). Source: docs/formats/metrics.md,
/// nonblocking-collective-wait.
std::vector<std::size_t> needed_members(trace::Collective operation, const CollectiveInstance& instance);

/// Per member the index of the one among those it needs whose completing call began last, but not after the member's
/// own completing call ended; no_member = none, or its operation is not complete. `completions`: begin and end of the
/// completing calls, `broken` if not known. O(members log members), with partner lists O(their lengths). Source:
/// nonblocking-progress.
std::vector<std::size_t> last_to_complete(trace::Collective operation, const CollectiveInstance& instance,
                                          std::span<const Member> completions);

/// Metric of a non-blocking wait by operation; nullptr = the operation has no rule.
const MetricInfo* nonblocking_wait_of(trace::Collective operation);

extern const MetricInfo nonblocking_collective_wait_info, nonblocking_wait_at_barrier_info,
    nonblocking_late_broadcast_info, nonblocking_early_reduce_info, nonblocking_early_scan_info,
    nonblocking_wait_at_nxn_info, nonblocking_wait_at_neighborhood_info, nonblocking_progress_info;
extern const MetricInfo nonblocking_collective_time_info, nonblocking_collective_overlap_info;

}  // namespace mora::analysis
