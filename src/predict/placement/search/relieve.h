/// Shortens the predicted time of a placement: the slowest node exchanges ranks, or moves one to free room, as long as
/// that makes it and the other node faster than it was.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/placement/search/node_times.h"

namespace mora::predict {

/// Never makes the longest time longer. `room`: how many ranks each node takes. Stops, too, after `work` looks at a
/// pair of ranks.
void relieve(std::vector<std::uint32_t>& node_of, const std::vector<std::uint32_t>& room, const NodeTimes& times,
             std::uint64_t work);

}  // namespace mora::predict
