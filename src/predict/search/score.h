/// The cost of a placement (rule `placement-search`, docs/rules.md). Pure functions, safe from any thread.
///
/// Time, given a machine model: all ranks send everything at once, and a node is ready when
///
///     max(Σ remote messages out, Σ remote messages in)   its ranks share one full-duplex connection
///   + max over its ranks of Σ local messages             sent and received; a rank copies its own, one after the other
///
/// Where the model says what ranks share, neither is less than that takes (max-rate: Gropp 2016): Σ remote bytes in one
/// direction over the node's connection, or its link to the network; Σ local bytes over its memory. Links between
/// switches do not count: which pairs of nodes meet there is not known before nodes have places.
///
/// The time of a placement is that of its slowest node. Messages of a pair of ranks count with their mean size. This is
/// not a run time: computation, waiting and the network between the nodes are not in it. It serves to compare
/// placements only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/machine/model.h"
#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

struct Score {
  std::uint64_t bytes = 0, messages = 0;  ///< between nodes
  std::optional<Nanoseconds> time;        ///< if there is a machine model
  bool operator==(const Score&) const = default;
};

/// Time first if both have one, then bytes, then messages.
bool is_better(const Score& a, const Score& b);

/// `node_of` by rank; at least as many as the matrix has.
Score score_of(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& node_of, const MachineModel* machine);

}  // namespace mora::predict
