/// Optima that are known, and small problems against all ways to place.
#include "predict/search/search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "predict/search/bisect.h"
#include "predict/search/exact.h"

namespace mora::predict {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, Traffic>;

TrafficMatrix matrix_of(std::uint32_t size, const Pairs& pairs) {
  TrafficMatrix matrix;
  matrix.size = size;
  for (const auto& [pair, traffic] : pairs) matrix.cells.push_back({pair.first, pair.second, traffic});
  return matrix;
}

/// Each rank sends 100 bytes to each neighbour of a torus-less grid; ranks renumbered by `name`.
TrafficMatrix grid(std::uint32_t width, std::uint32_t height, const Numbers& name) {
  Pairs pairs;
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    pairs[{name[a], name[b]}] = pairs[{name[b], name[a]}] = {1, 100};
  };
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x + 1 < width) both(y * width + x, y * width + x + 1);
      if (y + 1 < height) both(y * width + x, (y + 1) * width + x);
    }
  }
  return matrix_of(width * height, pairs);
}

Numbers in_order(std::uint32_t size) {
  Numbers names(size);
  std::iota(names.begin(), names.end(), 0u);
  return names;
}

Numbers shuffled(std::uint32_t size, unsigned seed) {
  Numbers names = in_order(size);
  std::mt19937 random(seed);
  for (std::uint32_t i = size; i > 1; --i) std::swap(names[i - 1], names[random() % i]);
  return names;
}

Numbers by_slot(std::uint32_t ranks, std::uint32_t per_node) {
  Numbers node_of(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) node_of[r] = r / per_node;
  return node_of;
}

SearchResult searched(const TrafficMatrix& ranks, std::uint32_t nodes, std::uint32_t slots,
                      const MachineModel* machine = nullptr) {
  SearchRequest request;
  request.slots.assign(nodes, slots);
  request.given = {{"default", by_slot(ranks.size, slots), {}}};
  request.machine = machine;
  return search_placement(ranks, request);
}

void expect_valid(const SearchResult& result, const Numbers& slots) {
  for (const Candidate& candidate : result.candidates) {
    Numbers counts(slots.size(), 0);
    for (const std::uint32_t node : candidate.node_of) ++counts.at(node);
    for (std::size_t n = 0; n < slots.size(); ++n) EXPECT_LE(counts[n], slots[n]) << candidate.name;
  }
}

std::uint64_t best_bytes(const SearchResult& result) { return result.candidates[result.best].score.bytes; }

TEST(Search, GridOnFourNodesBecomesFourSquares) {
  // 8 × 8 on 4 nodes of 16: four squares of 4 × 4 cut 16 edges, 2 × 100 bytes each; strips (the default) cut 24.
  const SearchResult result = searched(grid(8, 8, in_order(64)), 4, 16);
  EXPECT_EQ(result.candidates[0].score.bytes, 4800u);
  EXPECT_EQ(result.candidates[0].score.messages, 48u);
  EXPECT_EQ(best_bytes(result), 3200u);
  expect_valid(result, {16, 16, 16, 16});
  EXPECT_FALSE(result.is_optimum);
}

TEST(Search, NodesThatAreAlikeComeInTheOrderOfTheirLowestRanks) {
  const SearchResult result = searched(grid(8, 8, in_order(64)), 4, 16);
  const Numbers& node_of = result.candidates[result.best].node_of;
  EXPECT_EQ(Numbers({node_of[0], node_of[7], node_of[56], node_of[63]}), Numbers({0, 1, 2, 3}));
}

TEST(Search, ShuffledGridIsFoundAgain) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const SearchResult result = searched(grid(8, 8, shuffled(64, seed)), 4, 16);
    EXPECT_EQ(best_bytes(result), 3200u) << seed;
  }
}

TEST(Search, InterleavedRings) {
  // 8 rings of 16 ranks, the ranks of a ring 8 apart: each ring fits a node, nothing needs to leave.
  Pairs pairs;
  for (std::uint32_t rank = 0; rank < 128; ++rank) pairs[{rank, (rank + 8) % 128}] = {10, 1000};
  const SearchResult result = searched(matrix_of(128, pairs), 8, 16);
  EXPECT_EQ(result.candidates[0].score.bytes, 64000u);
  EXPECT_EQ(best_bytes(result), 0u);
}

TEST(Search, RingIsCutOncePerNode) {
  // One ring through all ranks in a shuffled order: a node holds an arc of it, and each arc has one message leaving.
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Numbers name = shuffled(96, seed);
    Pairs pairs;
    for (std::uint32_t i = 0; i < 96; ++i) pairs[{name[i], name[(i + 1) % 96]}] = {1, 50};
    const SearchResult result = searched(matrix_of(96, pairs), 6, 16);
    EXPECT_EQ(best_bytes(result), 6u * 50) << seed;
  }
}

TEST(Search, UsesFreeSlotsUnlessSharesAreKept) {
  Pairs pairs;
  for (std::uint32_t a = 0; a < 12; ++a) {
    for (std::uint32_t b = 0; b < 12; ++b) {
      if (a != b) pairs[{a, b}] = {1, 10};
    }
  }
  const TrafficMatrix all_to_all = matrix_of(12, pairs);
  SearchRequest request;
  request.slots = {6, 12, 12};
  request.given = {{"map-by node", {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, {}}};
  SearchResult result = search_placement(all_to_all, request);
  EXPECT_EQ(best_bytes(result), 0u);
  request.keep_shares = true;
  result = search_placement(all_to_all, request);
  EXPECT_EQ(best_bytes(result), 12u * 8 * 10);  // any 4 + 4 + 4 is alike
  EXPECT_EQ(result.best, 0u);                   // so the given one stays
  expect_valid(result, {4, 4, 4});
}

TEST(Search, NoTrafficAndOneNode) {
  EXPECT_EQ(searched(matrix_of(20, {}), 2, 10).best, 0u);
  EXPECT_EQ(searched(grid(5, 5, in_order(25)), 1, 25).best, 0u);
  const Pairs to_itself = {{{3, 3}, {5, 500}}};
  EXPECT_EQ(best_bytes(searched(matrix_of(20, to_itself), 2, 10)), 0u);
}

TEST(Search, NeverWorseThanWhatIsGivenAndTheSameEachTime) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Pairs pairs;
    const std::uint32_t size = 11 + random() % 30;
    for (int i = 0; i < 100; ++i) pairs[{random() % size, random() % size}] = {1 + random() % 5, random() % 1000};
    const TrafficMatrix ranks = matrix_of(size, pairs);
    SearchRequest request;
    for (std::uint32_t seats = 0; seats < size;) {
      request.slots.push_back(1 + random() % 12);
      seats += request.slots.back();
    }
    Numbers given;
    for (std::uint32_t n = 0; n < request.slots.size(); ++n) given.insert(given.end(), request.slots[n], n);
    given.resize(size);
    request.given = {{"given", given, {}}};
    const SearchResult result = search_placement(ranks, request), again = search_placement(ranks, request);
    EXPECT_LE(best_bytes(result), result.candidates[0].score.bytes);
    EXPECT_EQ(result.candidates[result.best].node_of, again.candidates[again.best].node_of);
    expect_valid(result, request.slots);
  }
}

/// All ways to place, without any cleverness.
Score brute_force(const TrafficMatrix& ranks, const Numbers& capacity, const MachineModel* machine) {
  Numbers node_of(ranks.size, 0);
  std::optional<Score> best;
  for (bool more = true; more;) {
    Numbers counts(capacity.size(), 0);
    for (const std::uint32_t node : node_of) ++counts[node];
    bool fits = true;
    for (std::size_t n = 0; n < capacity.size(); ++n) fits = fits && counts[n] <= capacity[n];
    if (fits) {
      const Score score = score_of(ranks, node_of, machine);
      if (!best || is_better(score, *best)) best = score;
    }
    more = false;
    for (std::uint32_t& node : node_of) {
      if (++node < capacity.size()) {
        more = true;
        break;
      }
      node = 0;
    }
  }
  return best.value();
}

MachineModel slow_network() {
  return parse_machine_model(R"({"format": "mora-machine 1", "same_node": [{"latency_ns": 900, "ns_per_byte": 2}],
    "other_node": [{"up_to_bytes": 200, "latency_ns": 1000, "ns_per_byte": 1}, {"latency_ns": 1500, "ns_per_byte": 3}]})",
                             "M")
      .value();
}

TEST(Search, EqualsBruteForceUpToEightRanks) {
  std::mt19937 random(11);
  const MachineModel machine = slow_network();
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t size = 2 + random() % 7;
    Pairs pairs;
    for (std::uint32_t i = 0; i < 3 * size; ++i)
      pairs[{random() % size, random() % size}] = {1 + random() % 3, random() % 700};
    const TrafficMatrix ranks = matrix_of(size, pairs);
    const Numbers capacity = round % 2 == 0 ? Numbers{size / 2, 3, 3} : Numbers{1 + size / 2, size};
    SearchRequest request;
    request.slots = capacity;
    Numbers given;
    for (std::uint32_t n = 0; n < capacity.size(); ++n) given.insert(given.end(), capacity[n], n);
    given.resize(size);
    request.given = {{"given", given, {}}};
    request.machine = round % 3 == 0 ? &machine : nullptr;
    const SearchResult result = search_placement(ranks, request);
    EXPECT_TRUE(result.is_optimum);
    EXPECT_EQ(result.candidates[result.best].score, brute_force(ranks, capacity, request.machine)) << round;
  }
}

TEST(Bisection, RefiningFindsTheOptimumOfMostSmallGraphs) {
  // The exchanges alone, from the worst start of a few: how often they equal the optimum is what keeps larger searches
  // honest.
  std::mt19937 random(3);
  int equal = 0;
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    Pairs pairs;
    for (int i = 0; i < 14; ++i) {
      const std::uint32_t a = random() % 8, b = random() % 8;
      if (a != b) pairs[{a, b}] = {1, 1 + random() % 100};
    }
    const TrafficMatrix ranks = matrix_of(8, pairs);
    const TrafficGraph graph = graph_of(ranks);
    Numbers local(8, UINT32_MAX);
    const Bisection bisection(graph, in_order(8), local);
    Bisection::Sides sides = {0, 0, 0, 0, 1, 1, 1, 1};
    std::int64_t cut = bisection.refine(sides, {4, 4});
    EXPECT_EQ(cut, bisection.cut(sides));
    EXPECT_EQ(std::count(sides.begin(), sides.end(), 1), 4);
    for (const std::uint32_t start : bisection.far_apart(4)) {
      Bisection::Sides other = bisection.grown(start, 4);
      EXPECT_EQ(std::count(other.begin(), other.end(), 1), 4);
      cut = std::min(cut, bisection.refine(other, {4, 4}));
    }
    const auto optimum = static_cast<std::int64_t>(brute_force(ranks, {4, 4}, nullptr).bytes);
    EXPECT_GE(cut, optimum);
    equal += cut == optimum ? 1 : 0;
  }
  EXPECT_GE(equal, rounds * 9 / 10);
}

TEST(Score, TimeByHand) {
  // Node 0: ranks 0, 1; node 1: ranks 2, 3. Messages of 100 bytes: local 900 + 200, remote 1000 + 100; of 300: remote
  // 1500 + 900.
  const TrafficMatrix ranks = matrix_of(
      4, {{{0, 1}, {1, 100}}, {{0, 2}, {2, 200}}, {{2, 0}, {1, 300}}, {{1, 3}, {1, 100}}, {{3, 3}, {1, 100}}});
  const MachineModel machine = slow_network();
  const Score score = score_of(ranks, {0, 0, 1, 1}, &machine);
  EXPECT_EQ(score.bytes, 600u);
  EXPECT_EQ(score.messages, 4u);
  // out of node 0: 2 × 1100 + 1100 = 3300, into it 2400; local 1100 for rank 0 and for rank 1. Node 1: the same with
  // out and in exchanged, local 1100 (rank 3).
  EXPECT_EQ(score.time, 3300 + 1100);
  EXPECT_EQ(score_of(ranks, {0, 0, 0, 0}, &machine).time, 1100 + 2 * 900 + 200 * 2 + 900 + 300 * 2);  // rank 0
}

TEST(Score, WhatRanksShareByHand) {
  const TrafficMatrix ranks = matrix_of(
      4, {{{0, 1}, {1, 100}}, {{0, 2}, {2, 200}}, {{2, 0}, {1, 300}}, {{1, 3}, {1, 100}}, {{3, 3}, {1, 100}}});
  const auto time = [&](const std::string& shared, const Numbers& node_of) {
    const std::string text = R"({"format": "mora-machine 2", "name": "M",
      "same_node": {"model": "hockney", "latency_ns": 0, "ns_per_byte": 1},
      "other_node": {"model": "hockney", "latency_ns": 0, "ns_per_byte": 1})" +
                             shared + "}";
    const MachineModel machine = parse_machine_model(text, "M").value();
    return score_of(ranks, node_of, &machine).time;
  };
  // Out of node 0 300 bytes, into it 300; within it 100 bytes, which both of its ranks take part in; node 1 the same.
  EXPECT_EQ(time("", {0, 0, 1, 1}), 300 + 100);
  EXPECT_EQ(time(R"(, "shared": {"connection_ns_per_byte": 1})", {0, 0, 1, 1}), 300 + 100);
  EXPECT_EQ(time(R"(, "shared": {"connection_ns_per_byte": 5})", {0, 0, 1, 1}), 1500 + 100);
  EXPECT_EQ(time(R"(, "shared": {"memory_ns_per_byte": 5})", {0, 0, 1, 1}), 300 + 500);
  // All on one node: rank 0 sends or receives 100 + 200 + 300 bytes, all together are 800.
  EXPECT_EQ(time("", {0, 0, 0, 0}), 600);
  EXPECT_EQ(time(R"(, "shared": {"memory_ns_per_byte": 1})", {0, 0, 0, 0}), 800);
  // A node's link to its switch is a connection; those of a torus are not its own.
  EXPECT_EQ(time(R"(, "topology": {"kind": "switch", "hop_latency_ns": 0, "link_ns_per_byte": 5})", {0, 0, 1, 1}),
            1500 + 100);
  EXPECT_EQ(time(R"(, "topology": {"kind": "torus", "extents": [2], "hop_latency_ns": 0, "link_ns_per_byte": 5})",
                 {0, 0, 1, 1}),
            300 + 100);
}

TEST(Search, SharedMemoryDrivesRanksApart) {
  // Four ranks, two pairs that talk. On one machine pairs stay together, on one whose memory is slow they are parted.
  const TrafficMatrix ranks = matrix_of(4, {{{0, 1}, {1, 1000}}, {{2, 3}, {1, 1000}}});
  const auto best_time = [&](const std::string& shared, bool& together) {
    const std::string text = R"({"format": "mora-machine 2", "name": "M",
      "same_node": {"model": "hockney", "latency_ns": 0, "ns_per_byte": 1},
      "other_node": {"model": "hockney", "latency_ns": 0, "ns_per_byte": 2})" +
                             shared + "}";
    const MachineModel machine = parse_machine_model(text, "M").value();
    SearchRequest request;
    request.slots = {2, 2};
    request.given = {{"default", by_slot(4, 2), {}}};
    request.machine = &machine;
    const SearchResult result = search_placement(ranks, request);
    const Candidate& best = result.candidates[result.best];
    together = best.score.bytes == 0;
    return best.score.time;
  };
  bool together = false;
  EXPECT_EQ(best_time("", together), 1000);
  EXPECT_TRUE(together);
  // Each node sends one message and receives one: its connection has two directions.
  EXPECT_EQ(best_time(R"(, "shared": {"memory_ns_per_byte": 10})", together), 2000);
  EXPECT_FALSE(together);
}

TEST(Search, TimeWeighsTheSlowestNode) {
  // A master that talks to everybody, and copying costs more than the network: spreading wins, though every byte
  // leaves.
  Pairs pairs;
  for (std::uint32_t rank = 1; rank < 16; ++rank) pairs[{0, rank}] = {1, 100000};
  const TrafficMatrix ranks = matrix_of(16, pairs);
  const MachineModel machine =
      parse_machine_model(R"({"format": "mora-machine 1", "same_node": [{"latency_ns": 0, "ns_per_byte": 2}],
    "other_node": [{"latency_ns": 0, "ns_per_byte": 1}]})",
                          "M")
          .value();
  SearchRequest request;
  request.slots = {8, 8, 8};
  request.given = {{"default", by_slot(16, 8), {}}};
  request.machine = &machine;
  const SearchResult result = search_placement(ranks, request);
  const Score& best = result.candidates[result.best].score;
  EXPECT_EQ(result.candidates[0].score.time, 2'200'000);  // 7 local × 200,000 + 8 remote × 100,000
  EXPECT_EQ(best.time, 1'500'000);                        // rank 0 alone on a node: all 15 leave
  expect_valid(result, request.slots);
}

}  // namespace
}  // namespace mora::predict
