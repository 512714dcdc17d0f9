#include "report/compare/comparison/tree_match.h"

#include <gtest/gtest.h>

#include <random>

namespace mora::compare {
namespace {

using cube::CallPathKind;

/// "program(main(solve@a.c:10(MPI_Send@a.c:12) …" built by hand.
struct Sample {
  cube::Cube cube;
  Sample() { node(cube::no_id, "program", CallPathKind::program); }
  cube::CallPathId node(cube::CallPathId parent, std::string name, CallPathKind kind = CallPathKind::user,
                        std::string file = "", std::uint32_t line = 0, std::uint32_t id = 0) {
    cube::CallPath path;
    path.parent = parent;
    path.name = std::move(name);
    path.kind = kind;
    path.file = std::move(file);
    path.line = line;
    path.id = id;
    cube.call_paths.push_back(path);
    return static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
  }
  cube::CallPathId call(cube::CallPathId parent, std::string name, std::uint32_t line, std::string file = "a.c") {
    return node(parent, std::move(name), CallPathKind::mpi, std::move(file), line);
  }
  cube::CallPathId interval(cube::CallPathId parent, std::uint32_t line, std::uint32_t id, std::string file = "a.c",
                            std::string name = "interval") {
    return node(parent, std::move(name), CallPathKind::interval, std::move(file), line, id);
  }
};

UnitedTree united(std::initializer_list<const Sample*> samples) {
  UnitedTree tree;
  for (const Sample* sample : samples) tree.add(call_tree(sample->cube));
  return tree;
}

/// Partner in the second run of a node of the first, and how it was found.
std::pair<std::size_t, Match> partner(const UnitedTree& tree, std::size_t first) {
  for (const UnitedNode& node : tree.nodes()) {
    if (node.own[0] == first) return {node.own[1], node.match[1]};
  }
  return {none, Match::missing};
}

using Found = std::pair<std::size_t, Match>;

TEST(TreeMatch, EqualTreesMatchExactly) {
  Sample a;
  const auto main = a.node(0, "main");
  a.call(main, "MPI_Send", 3);
  a.call(main, "MPI_Send", 3);
  a.interval(main, 7, 1);
  const UnitedTree tree = united({&a, &a});
  ASSERT_EQ(tree.nodes().size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(partner(tree, i), Found(i, Match::exact)) << i;
}

TEST(TreeMatch, TheProgramsNameAndDirectoriesDoNotMatter) {
  Sample a, b;
  a.call(0, "MPI_Send", 3, "/home/a/x.c");
  b.cube.call_paths[0].name = "other";
  b.call(0, "MPI_Send", 3, "/home/b/x.c");
  EXPECT_EQ(partner(united({&a, &b}), 1), Found(1, Match::exact));
}

TEST(TreeMatch, MovedLinesGoToTheNearest) {
  Sample a, b;
  const auto first = a.interval(0, 20, 1), second = a.interval(0, 40, 1);
  const auto far = b.interval(0, 10, 1), near_first = b.interval(0, 22, 1), near_second = b.interval(0, 43, 1);
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, first), Found(near_first, Match::moved));
  EXPECT_EQ(partner(tree, second), Found(near_second, Match::moved));
  ASSERT_EQ(tree.nodes().size(), 4u);
  EXPECT_EQ(tree.nodes()[3].own[1], far);
  EXPECT_EQ(tree.nodes()[3].own[0], none);
  EXPECT_EQ(tree.nodes()[3].node.parent, 0u);
}

TEST(TreeMatch, AnExactLineStaysWhereNothingCrosses) {
  Sample a, b;
  const auto stays = a.interval(0, 20, 1), moves = a.interval(0, 30, 1);
  const auto stayed = b.interval(0, 20, 1), moved = b.interval(0, 28, 1);
  b.interval(0, 40, 1);
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, stays), Found(stayed, Match::exact));
  EXPECT_EQ(partner(tree, moves), Found(moved, Match::moved));
}

TEST(TreeMatch, LinesShiftedPastEachOtherKeepTheirOrder) {
  // A line was added above: 35, 36, 40 became 36, 37, 41. That both have a 36 is chance.
  Sample a, b;
  const auto a1 = a.call(0, "MPI_Isend", 35), a2 = a.call(0, "MPI_Isend", 36), a3 = a.call(0, "MPI_Isend", 40);
  const auto b1 = b.call(0, "MPI_Isend", 36), b2 = b.call(0, "MPI_Isend", 37), b3 = b.call(0, "MPI_Isend", 41);
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, a1), Found(b1, Match::moved));
  EXPECT_EQ(partner(tree, a2), Found(b2, Match::moved));
  EXPECT_EQ(partner(tree, a3), Found(b3, Match::moved));
}

TEST(TreeMatch, AnotherIdIsAnotherInterval) {
  Sample a, b;
  a.interval(0, 20, 1);
  b.interval(0, 20, 2);
  EXPECT_EQ(partner(united({&a, &b}), 1).first, none);
}

TEST(TreeMatch, MovedCallSitesKeepTheirOrder) {
  Sample a, b;
  const auto a1 = a.call(0, "MPI_Recv", 10), a2 = a.call(0, "MPI_Recv", 20);
  const auto b1 = b.call(0, "MPI_Recv", 110, "b.c"), b2 = b.call(0, "MPI_Recv", 90, "b.c");
  const UnitedTree tree = united({&a, &b});  // another file: order among siblings
  EXPECT_EQ(partner(tree, a1), Found(b1, Match::moved));
  EXPECT_EQ(partner(tree, a2), Found(b2, Match::moved));
}

TEST(TreeMatch, AnotherMpiFunctionIsAnotherCall) {
  Sample a, b;
  a.call(0, "MPI_Send", 10);
  b.call(0, "MPI_Isend", 10);
  EXPECT_EQ(partner(united({&a, &b}), 1).first, none);
}

TEST(TreeMatch, ComputeBetweenMovedCallsIsTheSame) {
  Sample a, b;
  a.node(0, "compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20", CallPathKind::compute, "a.c", 12);
  b.node(0, "compute MPI_Send@a.c:15 -> MPI_Recv@a.c:29", CallPathKind::compute, "a.c", 15);
  EXPECT_EQ(partner(united({&a, &b}), 1), Found(1, Match::moved));
}

TEST(TreeMatch, ARenamedFunctionIsKnownByWhatItCalls) {
  Sample a, b;
  const auto init_a = a.node(0, "init");
  a.call(init_a, "MPI_Bcast", 1);
  const auto border = a.node(0, "border");
  const auto send_a = a.call(border, "MPI_Send", 10);
  const auto init_b = b.node(0, "init");
  b.call(init_b, "MPI_Bcast", 1);
  const auto halo = b.node(0, "halo");
  const auto send_b = b.call(halo, "MPI_Send", 12);
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, border), Found(halo, Match::renamed));
  EXPECT_EQ(partner(tree, send_a), Found(send_b, Match::moved));
}

TEST(TreeMatch, ARenamedFunctionIsKnownByItsName) {
  Sample a, b;
  const auto old = a.node(0, "assemble_matrix"), gone = a.node(0, "quit");
  const auto fresh = b.node(0, "assemble_matrix_fast");
  b.node(0, "io");
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, old), Found(fresh, Match::renamed));
  EXPECT_EQ(partner(tree, gone).first, none);
  EXPECT_EQ(tree.nodes().size(), 4u);
}

TEST(TreeMatch, EqualStructureInAnotherPlaceIsNoRename) {
  // Two candidates of one structure, neither between the same siblings: nothing says which it is.
  Sample a, b;
  const auto x = a.node(0, "x");
  a.call(x, "MPI_Send", 1);
  a.node(0, "middle");
  b.node(0, "middle");
  for (const char* name : {"p", "q"}) b.call(b.node(0, name), "MPI_Send", 1);
  EXPECT_EQ(partner(united({&a, &b}), x).first, none);
}

TEST(TreeMatch, ALaterRunMatchesWhatAnEarlierOneAdded) {
  Sample a, b;
  b.node(0, "extra");
  const UnitedTree tree = united({&a, &b, &b});
  ASSERT_EQ(tree.nodes().size(), 2u);
  EXPECT_EQ(tree.nodes()[1].own, (std::vector<std::size_t>{none, 1, 1}));
  EXPECT_EQ(tree.nodes()[1].match, (std::vector<Match>{Match::missing, Match::exact, Match::exact}));
  EXPECT_TRUE(tree.nodes()[1].is_exact());
}

TEST(TreeMatch, NearestInOrderIsTheBestOfAll) {
  // Against every choice of partners, random lists.
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> a(1 + random() % 4), b(a.size() + random() % 4);
    for (auto* list : {&a, &b}) {
      for (auto& line : *list) line = random() % 30;
      std::sort(list->begin(), list->end());
    }
    std::uint64_t best = UINT64_MAX;
    for (std::uint32_t chosen = 0; chosen < (1u << b.size()); ++chosen) {
      if (static_cast<std::size_t>(__builtin_popcount(chosen)) != a.size()) continue;
      std::uint64_t sum = 0;
      std::size_t i = 0;
      for (std::size_t j = 0; j < b.size(); ++j) {
        if ((chosen >> j & 1) == 0) continue;
        sum += a[i] > b[j] ? a[i] - b[j] : b[j] - a[i];
        ++i;
      }
      best = std::min(best, sum);
    }
    std::uint64_t sum = 0;
    const auto pairs = nearest_in_order(a, b);
    ASSERT_EQ(pairs.size(), a.size());
    for (const auto& [i, j] : pairs) sum += a[i] > b[j] ? a[i] - b[j] : b[j] - a[i];
    EXPECT_EQ(sum, best);
    auto turned = nearest_in_order(b, a);
    for (auto& pair : turned) std::swap(pair.first, pair.second);
    EXPECT_EQ(turned, pairs);
  }
}

TEST(TreeMatch, ThousandsOfDifferentSiblingsTakeNoTime) {
  Sample a, b;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    a.call(a.node(0, "old_" + std::to_string(i * 7919)), "MPI_Send", 2 * i);
    b.call(b.node(0, "fresh_" + std::to_string(i * 104729)), "MPI_Send", 2 * i + 1);
    a.interval(0, 3 * i, 1);
    b.interval(0, 3 * i + 1, 1);
  }
  const UnitedTree tree = united({&a, &b});
  EXPECT_EQ(partner(tree, 1), Found(1, Match::renamed));
  EXPECT_EQ(partner(tree, 3), Found(3, Match::moved));
}

/// A random tree; names and lines from few, so that equals are frequent.
Sample random_sample(std::mt19937& random, std::size_t size) {
  Sample sample;
  const char* calls[] = {"MPI_Send", "MPI_Recv", "MPI_Bcast"};
  while (sample.cube.call_paths.size() < size) {
    const auto parent = static_cast<cube::CallPathId>(random() % sample.cube.call_paths.size());
    const auto line = static_cast<std::uint32_t>(random() % 6);
    switch (random() % 3) {
      case 0:
        sample.call(parent, calls[random() % 3], line);
        break;
      case 1:
        sample.interval(parent, line, static_cast<std::uint32_t>(random() % 2));
        break;
      default:
        sample.node(parent, std::string("solve_") + static_cast<char>('a' + random() % 5));
    }
  }
  return sample;
}

TEST(TreeMatch, EveryNodeOfEveryRunIsInOnePlaceBelowItsParent) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<Sample> samples;
    for (int run = 0; run < 3; ++run) samples.push_back(random_sample(random, 1 + random() % 60));
    const UnitedTree tree = united({&samples[0], &samples[1], &samples[2]});
    for (std::size_t run = 0; run < 3; ++run) {
      const auto& paths = samples[run].cube.call_paths;
      std::vector<std::size_t> place(paths.size(), none);
      for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
        const std::size_t own = tree.nodes()[i].own[run];
        ASSERT_EQ(own == none, tree.nodes()[i].match[run] == Match::missing);
        if (own == none) continue;
        ASSERT_EQ(place[own], none) << "twice";
        place[own] = i;
        ASSERT_EQ(tree.nodes()[i].node.kind, paths[own].kind);
        ASSERT_EQ(tree.nodes()[i].node.id, paths[own].id);
      }
      for (std::size_t own = 0; own < paths.size(); ++own) {
        ASSERT_NE(place[own], none) << "lost";
        const std::size_t parent = tree.nodes()[place[own]].node.parent;
        ASSERT_EQ(parent, paths[own].parent == cube::no_id ? none : place[paths[own].parent]);
      }
    }
    ASSERT_EQ(tree.preorder().size(), tree.nodes().size());
  }
}

TEST(TreeMatch, ATreeWithItsLinesShiftedMatchesAsAWhole) {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    const Sample sample = random_sample(random, 1 + random() % 60);
    Sample shifted = sample;
    const std::uint32_t shift = round % 2 == 0 ? 1000 : 1;  // past all others, and into each other's lines
    for (cube::CallPath& path : shifted.cube.call_paths) {
      if (path.kind == CallPathKind::mpi || path.kind == CallPathKind::interval) path.line += shift;
    }
    const UnitedTree tree = united({&sample, &shifted});
    ASSERT_EQ(tree.nodes().size(), sample.cube.call_paths.size());
    for (const UnitedNode& node : tree.nodes()) {
      const bool has_line = node.node.kind == CallPathKind::mpi || node.node.kind == CallPathKind::interval;
      ASSERT_EQ(node.match[1], has_line ? Match::moved : Match::exact);
      // Equals of one line keep their order, so line by line the same.
      ASSERT_EQ(shifted.cube.call_paths[node.own[1]].line,
                sample.cube.call_paths[node.own[0]].line + (has_line ? shift : 0));
    }
  }
}

TEST(TreeMatch, PreorderShowsAddedNodesAmongTheirSiblings) {
  Sample a, b;
  const auto main_a = a.node(0, "main");
  a.node(main_a, "solve");
  a.node(0, "end");
  const auto main_b = b.node(0, "main");
  b.node(main_b, "write_results");
  const UnitedTree tree = united({&a, &b});
  std::vector<std::string> names;
  for (const std::size_t i : tree.preorder()) names.push_back(tree.nodes()[i].node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"program", "main", "solve", "write_results", "end"}));
}

}  // namespace
}  // namespace mora::compare
