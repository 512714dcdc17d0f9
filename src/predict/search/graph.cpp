#include "predict/search/graph.h"

#include <algorithm>

namespace mora::predict {

TrafficGraph graph_of(const TrafficMatrix& ranks) {
  // Sums of 2^20 arcs must not overflow.
  constexpr std::uint64_t most = std::uint64_t{1} << 43;
  std::uint64_t largest = 1;
  for (const TrafficCell& cell : ranks.cells) largest = std::max(largest, cell.traffic.bytes);
  const std::uint64_t divisor = largest / most + 1;

  std::vector<std::vector<TrafficGraph::Arc>> arcs(ranks.size);
  for (const auto& [from, to, traffic] : ranks.cells) {
    if (from == to || (traffic.bytes == 0 && traffic.messages == 0)) continue;
    const auto bytes = static_cast<std::int64_t>(std::max<std::uint64_t>(traffic.bytes / divisor, 1));
    arcs[from].push_back({to, bytes});
    arcs[to].push_back({from, bytes});
  }
  TrafficGraph graph;
  graph.size = ranks.size;
  graph.first.push_back(0);
  for (auto& of_rank : arcs) {
    std::sort(of_rank.begin(), of_rank.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    for (const TrafficGraph::Arc& arc : of_rank) {
      if (graph.arcs.size() > graph.first.back() && graph.arcs.back().to == arc.to) {
        graph.arcs.back().bytes += arc.bytes;
      } else {
        graph.arcs.push_back(arc);
      }
    }
    graph.first.push_back(graph.arcs.size());
  }
  return graph;
}

}  // namespace mora::predict
