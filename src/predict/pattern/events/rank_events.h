/// How events of a time-stamped trace become calls: the parts of from_trace.cpp.
#pragma once

#include <string>
#include <vector>

#include "predict/pattern/trace.h"
#include "trace/source.h"

namespace mora::predict {

/// The trace's communicators in the pattern's definitions, and ranks in them.
class TraceCommunicators {
 public:
  /// Fills `definitions.communicators` and `windows`.
  TraceCommunicators(const trace::Definitions& trace, Definitions& definitions);
  std::uint32_t index(trace::CommId comm) const { return comm < index_.size() ? index_[comm] : no_id; }
  /// Rank of world rank `peer` as `rank` counts it on the communicator: in its own group, or in the other one of an
  /// inter-communicator.
  std::int32_t peer(std::uint32_t communicator, std::uint32_t rank, std::uint32_t peer) const;
  /// Processes that `rank` exchanges with in collective calls.
  std::uint32_t peers(std::uint32_t communicator, std::uint32_t rank) const;
  bool in_local_group(std::uint32_t communicator, std::uint32_t rank) const {
    return place(communicator, rank, false) >= 0;
  }

 private:
  std::int32_t place(std::uint32_t communicator, std::uint32_t world, bool remote) const;
  const Definitions& definitions_;
  std::vector<std::uint32_t> index_;  ///< by the trace's id
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> local_,
      remote_;  ///< (world rank, place), sorted; empty: place = world rank
};

/// Sets root, payloads and vectors of a collective call from the bytes that the trace counted (Score-P's way: per
/// process, what goes to and comes from all others, itself included unless the call was in place). `doubtful` counts
/// calls whose bytes fit both with and without MPI_IN_PLACE.
void fill_collective(Call& call, const trace::Event& event, std::vector<std::uint64_t> vector,
                     const TraceCommunicators& communicators, std::uint32_t rank, RankTraceBuilder& builder,
                     std::uint64_t& doubtful);

}  // namespace mora::predict
