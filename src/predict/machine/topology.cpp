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

/// Ids of links of different kinds are apart.
enum class LinkKind : std::uint64_t { up, down, first, second };
std::uint64_t link_id(LinkKind kind, std::uint64_t number) { return number << 2 | static_cast<std::uint64_t>(kind); }

}  // namespace

void SingleSwitch::add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const {
  links.push_back({link_id(LinkKind::up, a)});
  links.push_back({link_id(LinkKind::down, b)});
}

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

void FatTree::add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const {
  const std::size_t first = links.size();
  std::uint64_t width = 1;
  for (std::size_t level = 0; a != b && level < down_.size(); ++level) {
    const auto number = [&](std::uint64_t below) { return below * down_.size() + level; };
    links.insert(links.begin() + static_cast<std::ptrdiff_t>(first + level), {link_id(LinkKind::up, number(a)), width});
    links.insert(links.begin() + static_cast<std::ptrdiff_t>(first + level + 1),
                 {link_id(LinkKind::down, number(b)), width});
    a /= down_[level];
    b /= down_[level];
    width *= down_[level];
  }
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

void Torus::add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const {
  std::uint64_t stride = 1;
  for (std::size_t d = 0; a != b && d < extents_.size(); ++d) {  // equal before the stride is beyond all numbers
    const std::uint64_t extent = extents_[d], to = b / stride % extent;
    std::uint64_t at = a / stride % extent;
    const bool ascends = (to + extent - at) % extent <= extent / 2;
    for (; at != to; at = (at + (ascends ? 1 : extent - 1)) % extent) {
      const std::uint64_t node = a - a / stride % extent * stride + at * stride;
      links.push_back({link_id(ascends ? LinkKind::up : LinkKind::down, node * extents_.size() + d)});
    }
    a = a - a / stride % extent * stride + to * stride;
    stride *= extent;
  }
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

void Dragonfly::add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const {
  const std::uint64_t to = b / s_.nodes_per_router;
  std::uint64_t at = a / s_.nodes_per_router;
  const auto go = [&](std::uint64_t router) {  // within the group
    if (router != at)
      links.push_back({link_id(LinkKind::first, at * s_.routers_per_group + router % s_.routers_per_group)});
    at = router;
  };
  links.push_back({link_id(LinkKind::up, a)});
  const std::uint64_t from_group = at / s_.routers_per_group, to_group = to / s_.routers_per_group;
  if (from_group != to_group) {
    go(from_group * s_.routers_per_group + gateway(from_group, to_group));
    links.push_back({link_id(LinkKind::second, from_group * s_.groups + to_group)});
    at = to_group * s_.routers_per_group + gateway(to_group, from_group);
  }
  go(to);
  links.push_back({link_id(LinkKind::down, b)});
}

}  // namespace mora::predict
