/// Shortens the predicted time of a placement: the slowest node exchanges ranks, or moves one to a node with free
/// slots, as long as both nodes are then faster than the slowest was.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/search/node_times.h"

namespace mora::predict {

/// Changes `node_of` (by rank); never makes the longest time longer. `capacity`: how many ranks each node takes. Also
/// stops after `work` evaluations of a pair of ranks.
void relieve(std::vector<std::uint32_t>& node_of, const std::vector<std::uint32_t>& capacity, const NodeTimes& times,
             std::uint64_t work);

}  // namespace mora::predict
