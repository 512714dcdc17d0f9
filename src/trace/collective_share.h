/// What one process gives or gets in a collective call, from the bytes that traces count.
///
/// Traces count bytes per process in Score-P's way (own share included, unless the call was in place), and do not say
/// whether a call was in place. The share of one process is found by division: the divisor that gives a whole number,
/// then one that gives multiples of four; doubtful calls count as not in place (rule `timed-experiments-as-patterns`,
/// docs/rules.md). Pure functions, thread-safe.
#pragma once

#include <cstdint>

#include "trace/event.h"

namespace mora::trace {

struct CollectiveShare {
  std::uint64_t bytes = 0;  ///< bcast, reductions, scans: the buffer; else what one process has for one other
  bool in_place = false;
  bool is_doubtful = false;  ///< whether it was in place cannot be told
};

/// Of operations with shares of one size; `collective` may say more than the record. `peers`: processes that take part
/// (of an inter-communicator those of the other group); `at_root`: this process is the root. Barriers, vector
/// operations and others: nothing.
CollectiveShare collective_share(Collective collective, const Event& event, std::uint64_t peers, bool at_root);

}  // namespace mora::trace
