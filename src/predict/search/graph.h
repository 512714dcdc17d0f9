/// The traffic between ranks as an undirected graph: bytes of both directions together, without messages of a rank to
/// itself. Immutable.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

struct TrafficGraph {
  struct Arc {
    std::uint32_t to = 0;
    std::int64_t bytes = 0;  ///< > 0
  };
  std::uint32_t size = 0;
  std::vector<std::size_t> first;  ///< arcs of rank r: arcs[first[r]] up to arcs[first[r + 1]], ascending
  std::vector<Arc> arcs;
};

/// Pairs without bytes (empty messages only) weigh 1 byte, so that they are still kept together if that costs nothing.
TrafficGraph graph_of(const TrafficMatrix& ranks);

}  // namespace mora::predict
