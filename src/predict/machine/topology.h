/// How nodes are connected: how many links a message crosses between two of them.
///
/// Nodes have the numbers of the placement, from 0. Links from nodes to switches count. Formulas, and where they come
/// from:
///
///   switch      2.                                                                             One crossbar.
///   fat tree    2 l, where l is the lowest level with a switch above both nodes.               Leiserson 1985.
///   torus       Σ over dimensions of min(d, n - d); nodes are numbered along the first dimension first. Dally 1990.
///   dragonfly   2 on one router; 3 in one group; else 3 and one more for each end whose router has not the link
///               between the two groups. Groups are connected by one link each, the j-th of a group's links leaves its
///               router j / h, and goes to group j, or j + 1 from its own number on.                      Kim 2008.
///
/// Routes: up to the lowest common switch and down; along the first dimension first, of two equal ways the ascending
/// one; over the link between the two groups. A link of a fat tree is as wide as those of all nodes below it together,
/// all others have one width (Mora's rule topology-links).
///
/// Limits: each message takes the minimal route (of a dragonfly the one over the link between its two groups),
/// whatever else is under way. Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <vector>

namespace mora::predict {

/// From one end to the other only; the other direction is another link.
struct Link {
  std::uint64_t id = 0;     ///< below 2^62
  std::uint64_t width = 1;  ///< in links of a node
  bool operator==(const Link& other) const { return id == other.id && width == other.width; }
};

class Topology {
 public:
  virtual ~Topology() = default;
  /// Nodes that it can connect.
  virtual std::uint64_t nodes() const = 0;
  /// Between two nodes below nodes(); 0: they are the same.
  std::uint64_t hops(std::uint64_t a, std::uint64_t b) const { return a == b ? 0 : between(a, b); }
  /// The links in the order of the route: as many as hops() says.
  std::vector<Link> route(std::uint64_t a, std::uint64_t b) const {
    std::vector<Link> links;
    if (a != b) add_route(a, b, links);
    return links;
  }
  /// The fewest between two different nodes.
  virtual std::uint64_t fewest() const { return 2; }

 private:
  virtual std::uint64_t between(std::uint64_t a, std::uint64_t b) const = 0;
  virtual void add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const = 0;
};

class SingleSwitch final : public Topology {
 public:
  std::uint64_t nodes() const override { return UINT64_MAX; }

 private:
  std::uint64_t between(std::uint64_t, std::uint64_t) const override { return 2; }
  void add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const override;
};

class FatTree final : public Topology {
 public:
  /// `down`: what is below each switch, from the switches of the nodes to the top; none is 0.
  explicit FatTree(std::vector<std::uint64_t> down) : down_(std::move(down)) {}
  std::uint64_t nodes() const override;
  std::uint64_t fewest() const override;

 private:
  std::uint64_t between(std::uint64_t a, std::uint64_t b) const override;
  void add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const override;
  std::vector<std::uint64_t> down_;
};

/// A mesh with links around; nodes are routers.
class Torus final : public Topology {
 public:
  explicit Torus(std::vector<std::uint64_t> extents) : extents_(std::move(extents)) {}  ///< none is 0
  std::uint64_t nodes() const override;
  std::uint64_t fewest() const override { return 1; }

 private:
  std::uint64_t between(std::uint64_t a, std::uint64_t b) const override;
  void add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const override;
  std::vector<std::uint64_t> extents_;
};

struct DragonflyShape {
  std::uint64_t nodes_per_router = 1, routers_per_group = 1, global_links_per_router = 1, groups = 1;  ///< p, a, h, g
};

class Dragonfly final : public Topology {
 public:
  /// None is 0, and groups is at most a h + 1.
  explicit Dragonfly(const DragonflyShape& shape) : s_(shape) {}
  std::uint64_t nodes() const override;
  std::uint64_t fewest() const override { return s_.nodes_per_router > 1 ? 2 : 3; }

 private:
  std::uint64_t between(std::uint64_t a, std::uint64_t b) const override;
  void add_route(std::uint64_t a, std::uint64_t b, std::vector<Link>& links) const override;
  /// The router of `group` with the link to `other`, in its group.
  std::uint64_t gateway(std::uint64_t group, std::uint64_t other) const;
  DragonflyShape s_;
};

}  // namespace mora::predict
