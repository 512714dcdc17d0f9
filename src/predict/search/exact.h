/// The optimum for few ranks, by trying all placements that could be better.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/search/score.h"

namespace mora::predict {

constexpr std::uint32_t most_exact_ranks = 10;

/// The node of each rank. `capacity` is how many ranks each node takes; together at least as many as there are ranks
/// (at most most_exact_ranks).
std::vector<std::uint32_t> best_of_all(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& capacity,
                                       const MachineModel* machine);

}  // namespace mora::predict
