/// Collective operations as what each member does, step by step: the messages of the algorithm (mpi/schedules) in the
/// order in which the member posts, sends, receives and completes them.
///
/// Idea: in a round a member posts all its receives, hands over all its messages, takes what it is sent, and completes
/// what waits for its receivers; then comes the next round. So the algorithms that post everything, exchange in pairs
/// or pass something on are all served by one rule (Mora's rule predicted-collectives). Cost: O(messages). Pure
/// functions, thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/schedules/algorithm.h"
#include "replay/actions/action.h"
#include "replay/costs/network.h"
#include "trace/definitions.h"

namespace mora::replay {

struct Step {
  enum Kind : std::uint8_t { post, send, receive, complete } kind = post;
  std::uint32_t peer = 0;     ///< position in the communicator
  std::uint32_t message = 0;  ///< the same number at both ends
  std::uint64_t bytes = 0;
};

struct CollectivePlan {
  std::string algorithm;
  std::vector<std::vector<Step>> steps;  ///< by position
};

/// Collectives whose members agree on all sizes: as the call of one of them says it. Nothing: the call does not say
/// them, or the members need not agree. Traces have no sizes of elements: the largest of 8, 4, 2 and 1 bytes that
/// divides the buffer is taken (Mora's rule predicted-collectives).
std::optional<mpi::schedule::CollectiveCase> case_of(const Detail& call, const trace::Communicator& comm,
                                                     std::uint32_t own_rank, const std::vector<std::uint64_t>& counts);

/// The steps of all `ranks` members.
CollectivePlan plan_of(const mpi::schedule::Algorithm& algorithm, std::uint32_t ranks);

/// Operations of which each member knows its own counts only (Alltoallv, Alltoallw, Gatherv, Scatterv): the steps of
/// the member at `position`, each block straight from its owner to its receiver. Nothing: the counts are not known.
std::optional<std::vector<Step>> straight_steps(const Detail& call, std::uint32_t ranks, std::uint32_t position,
                                                std::optional<std::uint32_t> root,
                                                const std::vector<std::uint64_t>& counts);

/// When each member is through if all begin at 0 and nothing else goes on. `rank_of` by position: world ranks.
std::vector<Nanoseconds> synchronous_times(const CollectivePlan& plan, std::span<const std::uint32_t> rank_of,
                                           const Network& network);

}  // namespace mora::replay
