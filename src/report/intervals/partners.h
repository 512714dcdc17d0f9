/// What the partners of one location's exchanges did, for amounts that depend on them: enters of the sends to it, and
/// first and last enters and the last leave of the collectives. Read once from all locations. Collectives are matched
/// by their order on a communicator, messages by source, tag and communicator in order (spec/003 ).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "trace/source.h"

namespace mora::report {

struct CollectiveTimes {
  Nanoseconds first_enter = INT64_MAX, last_enter = INT64_MIN, last_leave = INT64_MIN;
  std::uint32_t last_rank = 0;  ///< who entered last
  std::size_t members = 0;
};

struct Partners {
  using MessageKey = std::tuple<trace::CommId, std::uint32_t, std::int32_t>;  ///< communicator, source, tag
  std::map<MessageKey, std::vector<Nanoseconds>> sends;               ///< enters of the sends to the rank, in order
  std::map<trace::CommId, std::vector<CollectiveTimes>> collectives;  ///< in their order on the communicator
};

/// The communicator of an event that ends a blocking collective of several processes; no_id for all others.
trace::CommId collective_comm(const trace::Event& event, const trace::Definitions& definitions);

Result<Partners> partners_of(trace::Source& source, std::uint32_t rank);

}  // namespace mora::report
