/// Consistency of a pattern trace: messages sent = received, collectives agree on every member, phases balance,
/// requests are completed once. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/pattern/trace.h"

namespace mora::predict {

struct Disagreement {
  std::string kind;             ///< kebab-case, as in the data-quality table
  std::uint32_t rank = no_id;   ///< the rank that the sentence is about
  std::uint32_t other = no_id;  ///< the rank that it disagrees with
  std::uint64_t call = 0;       ///< number of the call within the rank, from 1; 0 = none in particular
  std::string text;             ///< sentence for people
};

/// Only pairs of ranks that are both present are compared. Sorted by (rank, call). Messages are matched per
/// (communicator, source, destination) in order, tags honoured, wildcards taken as their actual source.
std::vector<Disagreement> check_pattern(const PatternTrace& trace);

/// "Send 10 x MPI_INT to 3, tag 5, on MPI_COMM_WORLD", for messages.
std::string describe(const Call& call, const PatternTrace& trace, const RankTrace& rank);

}  // namespace mora::predict
