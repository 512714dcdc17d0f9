/// The optimum by trying everything that could be better, for few ranks: a Bell number of ways to put 10 ranks together
/// is 115,975.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/placement/search/score.h"

namespace mora::predict {

constexpr std::uint32_t most_exact_ranks = 10;

/// By rank. `room` is how many ranks each node takes; together at least as many as there are ranks (at most
/// most_exact_ranks).
std::vector<std::uint32_t> best_of_all(const TrafficMatrix& ranks, const std::vector<std::uint32_t>& room,
                                       const MachineModel* machine);

}  // namespace mora::predict
