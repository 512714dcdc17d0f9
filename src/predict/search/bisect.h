/// Bisection of a set of ranks into two sides: two nodes, or two halves of a cluster. Only the traffic between the
/// sides counts; all other ranks stay as far away as they were.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "predict/search/graph.h"

namespace mora::predict {

class Bisection {
 public:
  /// `members`: ranks, each once. `local` is scratch memory of graph.size entries, all UINT32_MAX; it is left so.
  Bisection(const TrafficGraph& graph, const std::vector<std::uint32_t>& members, std::vector<std::uint32_t>& local);

  using Sides = std::vector<std::uint8_t>;  ///< 0 or 1, by member
  using Capacity = std::array<std::uint32_t, 2>;

  /// Bytes between the two sides.
  std::int64_t cut(const Sides& sides) const;
  /// Moves members until no pass makes the cut smaller; never makes it larger. No side gets more members than its
  /// capacity, unless it had more at first. Returns the cut in bytes.
  std::int64_t refine(Sides& sides, const Capacity& capacity) const;
  /// Side 1 is what grows from `start` to `count` members, always taking the member that then gives the smallest cut;
  /// the rest is side 0.
  Sides grown(std::uint32_t start, std::uint32_t count) const;
  /// Members far apart, to grow from: the first is the farthest from member 0, each next the farthest from all before.
  std::vector<std::uint32_t> far_apart(std::uint32_t count) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::size_t arcs() const { return arcs_.size(); }

 private:
  std::int64_t pass(Sides& sides, const Capacity& capacity, std::int64_t cut) const;

  std::vector<std::size_t> first_;
  std::vector<TrafficGraph::Arc> arcs_;  ///< among members, numbered by position
};

}  // namespace mora::predict
