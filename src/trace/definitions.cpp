#include "trace/definitions.h"

#include <algorithm>

namespace mora::trace {

LocationId Definitions::location_of_rank(std::uint32_t rank) const {
  return rank < rank_to_location_.size() ? rank_to_location_[rank] : no_id;
}

std::vector<RegionId> Definitions::call_path(RegionId region) const {
  return functions_to(region < regions.size() ? regions[region].caller : no_id);
}

std::vector<RegionId> Definitions::functions_to(CallerId caller) const {
  std::vector<RegionId> path;
  for (; caller < callers.size(); caller = callers[caller].parent) path.push_back(callers[caller].region);
  std::reverse(path.begin(), path.end());
  return path;
}

CallerId Definitions::common_caller(CallerId a, CallerId b) const {
  while (a != b) {
    if (a >= callers.size() || b >= callers.size()) return no_id;
    CallerId& inner = a > b ? a : b;
    inner = callers[inner].parent;
  }
  return a < callers.size() ? a : no_id;
}

void Definitions::index_ranks() {
  std::uint32_t ranks = world_size;
  for (const Location& location : locations) ranks = std::max(ranks, location.rank + 1);
  rank_to_location_.assign(ranks, no_id);
  for (LocationId id = 0; id < locations.size(); ++id) {
    if (locations[id].thread == 0) rank_to_location_[locations[id].rank] = id;
  }
}

}  // namespace mora::trace
