/// Processes that wait for each other in a circle: a deadlock.
///
/// Idea: the graph of who waits for whom is searched depth first, from the lowest rank up; an edge back to a rank on
/// the way closes a circle. Cost: linear in ranks and edges.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mora::experiment {

/// The circle to which the lowest rank comes that comes to one, from its own lowest rank on; empty if there is none.
/// `waits_for[r]`: the ranks for which rank r waits, each below waits_for.size(). Pure function.
std::vector<std::uint32_t> find_circle(const std::vector<std::vector<std::uint32_t>>& waits_for);

/// "deadlock: rank 0 in MPI_Recv (main.c:12) waits for rank 1, rank 1 in MPI_Barrier (main.c:20) waits for rank 0": the
/// first sixteen of find_circle, the others counted; empty if there is no circle. `call`: the words for a rank's call.
std::string circle_sentence(const std::vector<std::vector<std::uint32_t>>& waits_for,
                            const std::function<std::string(std::uint32_t)>& call);

}  // namespace mora::experiment
