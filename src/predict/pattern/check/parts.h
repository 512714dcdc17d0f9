/// The parts of check_pattern (check.h): each looks at one thing and appends what it finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/pattern/check/check.h"

namespace mora::predict {

inline constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};

/// A request that a rank started, in the order of starting, and what its completion says.
struct StartedRequest {
  std::uint64_t call = 0;  ///< that started it, from 1
  std::int32_t source = peer_none, tag = tag_any;
  std::uint64_t bytes = 0;
  bool completed = false, cancelled = false;
  bool freed = false;  ///< given away by MPI_Request_free: nothing is known about its completion
};

struct StartedRequests {
  std::vector<StartedRequest> all;
  bool all_known = true;  ///< false: completions of requests that cannot be named were seen
};

/// Plays a rank's starts and completions. Completing twice and completing what was never started go to `found`, if
/// given.
StartedRequests play_requests(const PatternTrace& trace, const RankTrace& rank, std::vector<Disagreement>* found);

/// A dry run and a text trace say what a receive asked for, not what arrived.
bool knows_arrivals(const PatternTrace& trace);

/// Each appends to `found`, in any order; check_pattern sorts.
void check_requests(const PatternTrace& trace, std::vector<Disagreement>& found);
void check_phases(const PatternTrace& trace, std::vector<Disagreement>& found);
void check_messages(const PatternTrace& trace, std::vector<Disagreement>& found);
void check_collectives(const PatternTrace& trace, std::vector<Disagreement>& found);

/// "MPI_COMM_WORLD"; "communicator 7" where there is no name.
std::string communicator_name(const PatternTrace& trace, std::uint32_t communicator);

}  // namespace mora::predict
