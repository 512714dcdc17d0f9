// Hops by hand and against the shortest way through the links themselves; what the file may say of them.
#include "predict/machine/topology.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "predict/machine/model.h"

namespace mora::predict {
namespace {

/// Links of vertices; the first are the nodes.
struct Links {
  std::vector<std::vector<std::uint64_t>> of;
  void add(std::uint64_t a, std::uint64_t b) {
    of.resize(std::max<std::size_t>(of.size(), std::max(a, b) + 1));
    of[a].push_back(b);
    of[b].push_back(a);
  }
  std::vector<std::uint64_t> distances(std::uint64_t from) const {
    std::vector<std::uint64_t> far(of.size(), UINT64_MAX);
    std::deque<std::uint64_t> next = {from};
    far[from] = 0;
    for (; !next.empty(); next.pop_front()) {
      for (const std::uint64_t to : of[next.front()]) {
        if (far[to] != UINT64_MAX) continue;
        far[to] = far[next.front()] + 1;
        next.push_back(to);
      }
    }
    return far;
  }
};

/// Routes are as long as hops() says and cross no link twice, all links are on some route, and back is another way.
/// `links`: of both directions.
void expect_routes(const Topology& topology, std::uint64_t nodes, std::size_t links) {
  std::set<std::uint64_t> all;
  for (std::uint64_t a = 0; a < nodes; ++a) {
    for (std::uint64_t b = 0; b < nodes; ++b) {
      std::set<std::uint64_t> own;
      for (const Link& link : topology.route(a, b)) own.insert(link.id);
      EXPECT_EQ(own.size(), topology.hops(a, b)) << a << " to " << b;
      EXPECT_EQ(topology.route(a, b).size(), own.size()) << a << " to " << b;
      for (const Link& link : topology.route(b, a)) EXPECT_EQ(own.count(link.id), 0U) << a << " to " << b;
      all.insert(own.begin(), own.end());
    }
  }
  EXPECT_EQ(all.size(), links);
}

TEST(Topology, ATorusOfMoreNodesThanNumbersHasRoutes) {
  EXPECT_EQ(Torus({65536, 65536, 65536, 65536, 2}).route(0, 1).size(), 1U);
}

TEST(Topology, Routes) {
  expect_routes(SingleSwitch(), 5, 10);
  expect_routes(FatTree({3, 2, 2}), 12, std::size_t{2} * (12 + 4 + 2));
  expect_routes(Torus({5}), 5, 10);
  expect_routes(Torus({5, 3, 4}), 60, std::size_t{60} * 6);
  // Nine groups of four routers: 2 for each node, 4 x 3 in a group, 9 x 8 between groups.
  expect_routes(Dragonfly({2, 4, 2, 9}), 72, 2 * 72 + 9 * 12 + 72);
}

TEST(Topology, RoutesThatMeet) {
  const auto common = [](const Topology& t, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    std::size_t count = 0;
    for (const Link& one : t.route(a, b)) {
      for (const Link& other : t.route(c, d)) count += one == other ? 1 : 0;
    }
    return count;
  };
  const Torus ring({7}), plane({4, 4});
  EXPECT_EQ(common(ring, 0, 2, 1, 3), 1U);
  EXPECT_EQ(common(ring, 0, 3, 0, 3), 3U);
  EXPECT_EQ(common(ring, 0, 6, 0, 1), 0U);   // around the shorter side
  EXPECT_EQ(common(plane, 0, 5, 4, 5), 0U);  // 0, 1, 5
  EXPECT_EQ(common(plane, 0, 5, 1, 5), 1U);
  EXPECT_EQ(common(plane, 0, 2, 1, 2), 1U);  // equally far on both sides: ascending
  const FatTree tree({2, 2});
  EXPECT_EQ(common(tree, 0, 2, 1, 3), 2U);  // both links of the switches
  const auto route = tree.route(0, 3);
  ASSERT_EQ(route.size(), 4U);
  EXPECT_EQ(route[0].width, 1U);
  EXPECT_EQ(route[1].width, 2U);
  EXPECT_EQ(route[2].width, 2U);
  EXPECT_EQ(route[3].width, 1U);
  const Dragonfly fly({2, 4, 2, 9});
  EXPECT_EQ(common(fly, 0, 8, 6, 14), 1U);  // the one link between groups 0 and 1
}

void expect_shortest(const Topology& topology, const Links& links) {
  std::uint64_t fewest = UINT64_MAX;
  for (std::uint64_t a = 0; a < topology.nodes(); ++a) {
    const auto far = links.distances(a);
    for (std::uint64_t b = 0; b < topology.nodes(); ++b) {
      EXPECT_EQ(topology.hops(a, b), far[b]) << a << " to " << b;
      if (a != b) fewest = std::min(fewest, far[b]);
    }
  }
  EXPECT_EQ(topology.fewest(), fewest);
}

TEST(Topology, SwitchAndFatTree) {
  EXPECT_EQ(SingleSwitch().hops(3, 3), 0U);
  EXPECT_EQ(SingleSwitch().hops(3, 4), 2U);
  for (const std::vector<std::uint64_t>& down : {std::vector<std::uint64_t>{4}, {3, 2}, {2, 3, 2}, {1, 4}}) {
    const FatTree tree(down);
    Links links;
    // One switch stands for all those that are above the same nodes.
    std::uint64_t below = 0, count = tree.nodes();
    for (const std::uint64_t each : down) {
      for (std::uint64_t i = 0; i < count; ++i) links.add(below + i, below + count + i / each);
      below += count;
      count /= each;
    }
    expect_shortest(tree, links);
  }
}

TEST(Topology, Torus) {
  for (const std::vector<std::uint64_t>& extents : {std::vector<std::uint64_t>{5}, {4, 3}, {2, 3, 4}, {1, 6}}) {
    const Torus torus(extents);
    Links links;
    for (std::uint64_t node = 0; node < torus.nodes(); ++node) {
      std::uint64_t stride = 1;
      for (const std::uint64_t extent : extents) {
        const std::uint64_t at = node / stride % extent;
        links.add(node, node - at * stride + (at + 1) % extent * stride);
        stride *= extent;
      }
    }
    expect_shortest(torus, links);
  }
}

/// Kim's minimal routes: the links of other groups than those of the two nodes are not taken, also where a way through
/// a third group had one link less.
TEST(Topology, Dragonfly) {
  for (const DragonflyShape s : {DragonflyShape{2, 4, 2, 9}, {1, 3, 1, 4}, {3, 2, 2, 4}}) {
    const Dragonfly fly(s);
    const std::uint64_t per_group = s.nodes_per_router * s.routers_per_group;
    const auto router = [&](std::uint64_t group, std::uint64_t number) {
      return fly.nodes() + group * s.routers_per_group + number;
    };
    for (std::uint64_t g = 0; g < s.groups; ++g) {
      for (std::uint64_t other = g + 1; other < s.groups; ++other) {
        Links links;
        for (const std::uint64_t group : {g, other}) {
          for (std::uint64_t i = 0; i < s.routers_per_group; ++i) {
            for (std::uint64_t k = 0; k < i; ++k) links.add(router(group, i), router(group, k));
          }
          for (std::uint64_t n = group * per_group; n < (group + 1) * per_group; ++n)
            links.add(n, fly.nodes() + n / s.nodes_per_router);
        }
        // Each group lists all others in order; its routers take h of them each.
        links.add(router(g, (other - 1) / s.global_links_per_router), router(other, g / s.global_links_per_router));
        for (std::uint64_t node = g * per_group; node < (g + 1) * per_group; ++node) {
          const auto far = links.distances(node);
          for (std::uint64_t to = 0; to < fly.nodes(); ++to) {
            if (to / per_group != g && to / per_group != other) continue;
            EXPECT_EQ(fly.hops(node, to), far[to]) << node << " to " << to;
          }
        }
      }
    }
    EXPECT_EQ(fly.fewest(), s.nodes_per_router > 1 ? 2U : 3U);
  }
}

std::string why(const std::string& topology) {
  const auto model = parse_machine_model(
      R"({"format": "mora-machine 2", "other_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 2}, "topology": )" +
          topology + "}",
      "M");
  return model ? "" : model.error().why;
}

TEST(Topology, IsReadFromTheFile) {
  EXPECT_EQ(why(R"({"kind": "switch", "hop_latency_ns": 3})"), "");
  EXPECT_EQ(why(R"({"kind": "fat_tree", "down": [16, 8], "hop_latency_ns": 100})"), "");
  EXPECT_EQ(why(R"({"kind": "torus", "extents": [4, 4, 8], "hop_latency_ns": 100})"), "");
  EXPECT_EQ(why(R"({"kind": "dragonfly", "nodes_per_router": 2, "routers_per_group": 4, "global_links_per_router": 2,
    "groups": 9, "hop_latency_ns": 100})"),
            "");
  EXPECT_EQ(why("3"), "topology is not an object");
  EXPECT_EQ(why(R"({"kind": "switch"})"), "hop_latency_ns of topology is not a number that is 0 or more");
  EXPECT_EQ(why(R"({"kind": "switch", "hop_latency_ns": -1})"),
            "hop_latency_ns of topology is not a number that is 0 or more");
  EXPECT_EQ(why(R"({"kind": "switch", "hop_latency_ns": 1, "link_ns_per_byte": 0.5})"), "");
  EXPECT_EQ(why(R"({"kind": "switch", "hop_latency_ns": 1, "link_ns_per_byte": "1"})"),
            "link_ns_per_byte of topology is not a number that is 0 or more");
  EXPECT_EQ(why(R"({"kind": "ring", "hop_latency_ns": 1})"),
            R"(kind of topology is none of "switch", "fat_tree", "torus", "dragonfly")");
  EXPECT_EQ(why(R"({"kind": "torus", "extents": [4, 0], "hop_latency_ns": 1})"),
            "extents of topology is not a list of one to eight whole numbers from 1 to 1000000");
  EXPECT_EQ(why(R"({"kind": "fat_tree", "hop_latency_ns": 1})"),
            "down of topology is not a list of one to eight whole numbers from 1 to 1000000");
  EXPECT_EQ(why(R"({"kind": "dragonfly", "nodes_per_router": 2, "routers_per_group": 4, "global_links_per_router": 2,
    "groups": 10, "hop_latency_ns": 100})"),
            "a group of topology has 8 links to others, which are 9");
  EXPECT_EQ(why(R"({"kind": "torus", "extents": [4], "hop_latency_ns": 1, "down": [3]})"),
            "topology has an unknown key down");
}

}  // namespace
}  // namespace mora::predict
