/// Searches for a placement that keeps traffic inside nodes. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/search/score.h"

namespace mora::predict {

/// A way to place the ranks, with what it costs.
struct Candidate {
  std::string name;                    ///< "map-by node rank-by slot", "graph, slots of the nodes"
  std::vector<std::uint32_t> node_of;  ///< by rank
  Score score;
};

struct SearchRequest {
  std::vector<std::uint32_t>
      slots;  ///< by node: how many ranks it takes. A node that a given placement fills more takes that many
  std::vector<Candidate> given;  ///< without scores; the first is what improvements are measured against. At least one
  const MachineModel* machine = nullptr;  ///< nullptr: bytes between nodes decide
  bool keep_shares = false;               ///< every node keeps as many ranks as the first placement gives it
  ProgressCallback progress;
};

struct SearchResult {
  std::vector<Candidate> candidates;  ///< the given ones in their order, then those found
  std::size_t best = 0;               ///< the first of the best
  bool is_optimum = false;            ///< all placements were tried: none is better
};

/// Deterministic. Cost: for n ranks with m pairs that exchange messages about O(m log m × log n), and for each pair of
/// nodes that exchange messages the pairs within them. Memory O(m).
SearchResult search_placement(const TrafficMatrix& ranks, const SearchRequest& request);

}  // namespace mora::predict
