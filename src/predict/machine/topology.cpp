/// The formulas of topology.h.
#include "predict/machine/topology.h"

#include <algorithm>

namespace mora::predict {

namespace {

std::uint64_t product(const std::vector<std::uint64_t>& factors) {
  std::uint64_t all = 1;
  for (const std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(all, factor, &all)) return UINT64_MAX;
  }
  return all;
}

}  // namespace

std::uint64_t FatTree::nodes() const { return product(down_); }

std::uint64_t FatTree::fewest() const {
  std::uint64_t level = 1;
  for (const std::uint64_t below : down_) {
    if (below > 1) break;
    ++level;
  }
  return 2 * std::min<std::uint64_t>(level, down_.size());
}

std::uint64_t FatTree::between(std::uint64_t a, std::uint64_t b) const {
  std::uint64_t level = 0;
  while (a != b && level < down_.size()) {
    a /= down_[level];
    b /= down_[level];
    ++level;
  }
  return 2 * level;
}

std::uint64_t Torus::nodes() const { return product(extents_); }

std::uint64_t Torus::between(std::uint64_t a, std::uint64_t b) const {
  std::uint64_t hops = 0;
  for (const std::uint64_t extent : extents_) {
    const std::uint64_t x = a % extent, y = b % extent, distance = std::max(x, y) - std::min(x, y);
    hops += std::min(distance, extent - distance);
    a /= extent;
    b /= extent;
  }
  return hops;
}

std::uint64_t Dragonfly::nodes() const { return product({s_.nodes_per_router, s_.routers_per_group, s_.groups}); }

std::uint64_t Dragonfly::gateway(std::uint64_t group, std::uint64_t other) const {
  return (other < group ? other : other - 1) / s_.global_links_per_router;
}

std::uint64_t Dragonfly::between(std::uint64_t a, std::uint64_t b) const {
  const std::uint64_t from = a / s_.nodes_per_router, to = b / s_.nodes_per_router;
  if (from == to) return 2;
  const std::uint64_t from_group = from / s_.routers_per_group, to_group = to / s_.routers_per_group;
  if (from_group == to_group) return 3;
  return 3 + (from % s_.routers_per_group == gateway(from_group, to_group) ? 0U : 1U) +
         (to % s_.routers_per_group == gateway(to_group, from_group) ? 0U : 1U);
}

}  // namespace mora::predict
