/// What the partners of one location did in its messages and collectives, for amounts that depend on them: when the
/// sends to it were entered; when the first and the last member entered each collective, and when the last one left.
///
/// Collectives are matched by their order on a communicator (MPI-3.1, 5.13), messages by source, tag and communicator
/// in order (MPI-3.1, 3.5). Cost: one pass over all locations of the trace; memory: one entry for each message to the
/// rank and each collective instance of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "trace/source.h"

namespace mora::report {

/// One collective instance. Times in nanoseconds; `members` counts the calls that were seen.
struct CollectiveTimes {
  Nanoseconds first_enter = INT64_MAX, last_enter = INT64_MIN, last_leave = INT64_MIN;
  std::uint32_t last_rank = 0;  ///< who entered last
  std::size_t members = 0;
};

/// What partners_of() collects for one rank.
struct Partners {
  using MessageKey = std::tuple<trace::CommId, std::uint32_t, std::int32_t>;  ///< communicator, source, tag
  std::map<MessageKey, std::vector<Nanoseconds>> sends;               ///< enters of the sends to the rank, in order
  std::map<trace::CommId, std::vector<CollectiveTimes>> collectives;  ///< in their order on the communicator
};

/// The communicator of an event that ends a blocking collective of several processes; no_id for all others.
trace::CommId collective_comm(const trace::Event& event, const trace::Definitions& definitions);

/// Reads the whole trace. Errors: those of reading it.
Result<Partners> partners_of(trace::Source& source, std::uint32_t rank);

}  // namespace mora::report
