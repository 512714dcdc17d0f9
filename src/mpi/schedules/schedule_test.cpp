#include "mpi/schedules/schedule.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

namespace mora::mpi::schedule {
namespace schedule_test {

/// Who holds what: for every rank and block the set of ranks whose contribution is in it. Messages of a round see the
/// state before the round.
class Machine {
 public:
  using Content = std::uint64_t;
  Machine(std::uint32_t ranks, std::uint32_t blocks)
      : ranks_(ranks), blocks_(blocks), state_(ranks, std::vector<Content>(blocks)), before_(state_) {}
  void set(std::uint32_t rank, std::uint32_t block, Content c) { state_[rank][block] = before_[rank][block] = c; }
  void contribute_everything() {
    for (std::uint32_t r = 0; r < ranks_; ++r)
      for (std::uint32_t b = 0; b < blocks_; ++b) set(r, b, Content{1} << r);
  }
  void own_blocks() {
    for (std::uint32_t r = 0; r < ranks_; ++r) set(r, r, Content{1} << r);
  }
  void send(const Message& m) {
    EXPECT_LT(m.from, ranks_);
    EXPECT_LT(m.to, ranks_);
    EXPECT_NE(m.from, m.to);
    EXPECT_GE(m.round, round_) << "rounds never decrease";
    if (m.round > round_) before_ = state_, round_ = m.round;
    ++messages;
    bytes += m.bytes;
    sent[m.from] += m.bytes;
    received[m.to] += m.bytes;
    for (std::uint32_t i = 0; i < m.blocks; ++i) {
      const auto b = (m.first_block + i) % blocks_;
      const Content carried = before_[m.from][b];
      EXPECT_NE(carried, 0u) << m.from << " sends block " << b << " in round " << m.round << " and does not have it";
      Content& there = state_[m.to][b];
      if (m.combine) {
        EXPECT_EQ(there & carried, 0u) << "a contribution counts twice: " << m.from << " to " << m.to << " round "
                                       << m.round;
      }
      there = m.combine ? there | carried : carried;
    }
  }
  Sink sink() {
    return [this](const Message& m) { send(m); };
  }
  Content at(std::uint32_t rank, std::uint32_t block) const { return state_[rank][block]; }
  Content everybody() const { return ranks_ == 64 ? ~Content{0} : (Content{1} << ranks_) - 1; }
  std::uint32_t rounds() const { return messages == 0 ? 0 : round_ + 1; }
  std::uint64_t messages = 0, bytes = 0;
  std::map<std::uint32_t, std::uint64_t> sent, received;

 private:
  std::uint32_t ranks_, blocks_, round_ = 0;
  std::vector<std::vector<Content>> state_, before_;
};

const std::vector<std::uint32_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64};
std::uint64_t lg(std::uint32_t p) { return p < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(p - 1)); }
std::vector<std::uint32_t> roots(std::uint32_t p) {
  if (p == 1) return {0};
  if (p == 2) return {0, 1};
  return {0, 1, p / 2, p - 1};
}
const std::vector<Tree> trees{Tree::linear,       Tree::chain,         Tree::binary,
                              Tree::binomial_low, Tree::binomial_high, Tree::knomial4};

TEST(Schedule, TreesReachEverybodyOnceDownAndUp) {
  for (const auto p : sizes)
    for (const auto root : roots(p))
      for (const auto tree : trees) {
        SCOPED_TRACE(testing::Message() << "P " << p << " root " << root << " tree " << static_cast<int>(tree));
        Machine down(p, 1);
        down.set(root, 0, Machine::Content{1} << root);
        bcast(tree, p, root, 7, down.sink());
        for (std::uint32_t r = 0; r < p; ++r) EXPECT_EQ(down.at(r, 0), Machine::Content{1} << root);
        EXPECT_EQ(down.messages, p - 1);
        EXPECT_EQ(down.bytes, 7u * (p - 1));
        EXPECT_EQ(down.rounds(), rounds(tree, p));

        Machine up(p, 1);
        up.contribute_everything();
        reduce(tree, p, root, 7, up.sink());
        EXPECT_EQ(up.at(root, 0), up.everybody());
        EXPECT_EQ(up.messages, p - 1);
        EXPECT_EQ(up.bytes, 7u * (p - 1));
        EXPECT_EQ(up.rounds(), rounds(tree, p));
      }
}

TEST(Schedule, TreesHaveTheRoundsOfTheFormulas) {
  for (const auto p : sizes) {
    if (p < 2) continue;
    EXPECT_EQ(rounds(Tree::binomial_low, p), lg(p));
    EXPECT_EQ(rounds(Tree::binomial_high, p), lg(p));
    EXPECT_EQ(rounds(Tree::binary, p), lg(p + 1) - 1);  // H = ⌈lg(P+1)⌉ - 1
    EXPECT_EQ(rounds(Tree::chain, p), p - 1);
    std::uint32_t k = 0;
    for (std::uint64_t n = 1; n < p; n *= 4) ++k;
    EXPECT_EQ(rounds(Tree::knomial4, p), k);
  }
}

TEST(Schedule, TreesAreTheOnesDrawnInOpenMpi) {
  const auto parents = [](Tree tree, std::uint32_t p) {
    std::map<std::uint32_t, std::uint32_t> of;
    bcast(tree, p, 0, 1, [&](const Message& m) { of[m.to] = m.from; });
    return of;
  };
  using Map = std::map<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(parents(Tree::binary, 7), (Map{{1, 0}, {2, 0}, {3, 1}, {5, 1}, {4, 2}, {6, 2}}));
  EXPECT_EQ(parents(Tree::binomial_high, 8), (Map{{1, 0}, {2, 0}, {4, 0}, {3, 1}, {5, 1}, {6, 2}, {7, 3}}));
  EXPECT_EQ(parents(Tree::binomial_low, 8), (Map{{1, 0}, {2, 0}, {4, 0}, {3, 2}, {5, 4}, {6, 4}, {7, 6}}));
  EXPECT_EQ(parents(Tree::knomial4, 10), (Map{{4, 0}, {8, 0}, {1, 0}, {2, 0}, {3, 0}, {5, 4}, {6, 4}, {7, 4}, {9, 8}}));
  Map in_order;
  reduce_in_order_binary(9, 8, 1, [&](const Message& m) { in_order[m.from] = m.to; });
  EXPECT_EQ(in_order, (Map{{7, 8}, {3, 8}, {6, 7}, {5, 7}, {4, 5}, {2, 3}, {1, 3}, {0, 1}}));
}

TEST(Schedule, InOrderBinaryReduces) {
  for (const auto p : sizes)
    for (const auto root : roots(p)) {
      Machine m(p, 1);
      m.contribute_everything();
      reduce_in_order_binary(p, root, 5, m.sink());
      EXPECT_EQ(m.at(root, 0), m.everybody()) << p << " " << root;
      EXPECT_EQ(m.messages, p - 1 + (p > 1 && root != p - 1 ? 1 : 0));
    }
}

TEST(Schedule, SplitBinaryBroadcasts) {
  for (const auto p : sizes)
    for (const auto root : roots(p)) {
      SCOPED_TRACE(testing::Message() << "P " << p << " root " << root);
      Machine m(p, 2);
      m.set(root, 0, 1), m.set(root, 1, 2);
      bcast_split_binary(p, root, 11, 4, m.sink());
      for (std::uint32_t r = 0; r < p; ++r) EXPECT_TRUE(m.at(r, 0) == 1 && m.at(r, 1) == 2) << r;
      EXPECT_EQ(m.bytes, 44u * (p - 1));  // everybody gets each half once
      EXPECT_EQ(m.messages, 2u * (p - 1));
    }
}

TEST(Schedule, BroadcastsByScatterReachEverybody) {
  for (const auto p : sizes)
    for (const auto root : roots(p))
      for (const std::uint64_t bytes : {1000u * p, 1000u * p + 1, 3u}) {
        for (const bool ring : {false, true}) {
          SCOPED_TRACE(testing::Message() << "P " << p << " root " << root << " bytes " << bytes << " ring " << ring);
          const auto parts = Blocks::ceilings(bytes, p);
          EXPECT_EQ(parts.total(), bytes);
          Machine m(p, p);
          // Parts without bytes need not travel: they are everywhere.
          for (std::uint32_t b = 0; b < p; ++b)
            for (std::uint32_t r = 0; r < p; ++r)
              if (r == root || parts.bytes(b, 1) == 0) m.set(r, b, 1);
          if (ring)
            bcast_scatter_ring(p, root, bytes, m.sink());
          else
            bcast_scatter_doubling(p, root, bytes, m.sink());
          for (std::uint32_t r = 0; r < p; ++r)
            for (std::uint32_t b = 0; b < p; ++b) EXPECT_EQ(m.at(r, b), 1u);
          if (p < 2 || bytes % p != 0 || bytes < p) continue;
          const auto part = bytes / p;
          if (ring) {
            EXPECT_EQ(m.rounds(), lg(p) + p - 1);
            // (P-1) n of the ring, and the scatter's.
            std::uint64_t scattered = 0;
            for (std::uint32_t v = 1; v < p; ++v) scattered += std::min(v & (~v + 1), p - v) * part;
            EXPECT_EQ(m.bytes, scattered + (p - 1) * bytes);
          } else if (std::has_single_bit(p)) {
            EXPECT_EQ(m.rounds(), 2 * lg(p));
            EXPECT_EQ(m.bytes, p / 2 * lg(p) * part + (p - 1) * bytes);
          }
        }
      }
}

Blocks uneven(std::uint32_t p) {
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t r = 0; r < p; ++r) bytes.push_back(10 + 3 * (r * 7 % 5));
  return Blocks::of(bytes);
}

TEST(Schedule, GatherAndScatterBringEachBlockHome) {
  for (const auto p : sizes)
    for (const auto root : roots(p))
      for (const auto tree : {Tree::linear, Tree::binomial_low}) {
        SCOPED_TRACE(testing::Message() << "P " << p << " root " << root);
        Machine g(p, p);
        g.own_blocks();
        gather(tree, root, uneven(p), g.sink());
        for (std::uint32_t b = 0; b < p; ++b) EXPECT_EQ(g.at(root, b), Machine::Content{1} << b);
        EXPECT_EQ(g.messages, p - 1);
        EXPECT_EQ(g.received[root], uneven(p).total() - uneven(p).bytes(root, 1));

        Machine s(p, p);
        for (std::uint32_t b = 0; b < p; ++b) s.set(root, b, Machine::Content{1} << b);
        scatter(tree, root, uneven(p), s.sink());
        for (std::uint32_t b = 0; b < p; ++b) EXPECT_EQ(s.at(b, b), Machine::Content{1} << b);
        EXPECT_EQ(s.messages, p - 1);
        EXPECT_EQ(s.sent[root], g.received[root]);
        EXPECT_EQ(s.bytes, g.bytes);
        EXPECT_EQ(s.rounds(), rounds(tree, p));
        if (tree == Tree::binomial_low && std::has_single_bit(p)) {
          Machine even(p, p);
          even.own_blocks();
          gather(tree, root, Blocks::uniform(p, 6), even.sink());
          EXPECT_EQ(even.bytes, std::uint64_t{6} * (p / 2) * lg(p));  // round i: P/2^(i+1) messages of 2^i blocks
        }
      }
}

TEST(Schedule, SynchronisedGatherAsksEachRankInTurn) {
  std::vector<std::uint64_t> sizes_of_messages;
  gather_synchronised(1, Blocks::uniform(3, 50), [&](const Message& m) {
    EXPECT_TRUE((m.from == 1) != (m.to == 1));
    sizes_of_messages.push_back(m.bytes);
  });
  EXPECT_EQ(sizes_of_messages, (std::vector<std::uint64_t>{0, 50, 0, 0, 50, 0}));
}

TEST(Schedule, AllgathersGiveEverythingToEverybody) {
  using Function = void (*)(const Blocks&, const Sink&);
  const std::map<std::string, Function> algorithms{
      {"linear", allgather_linear},
      {"ring", [](const Blocks& b, const Sink& s) { allgather_ring(b, s); }},
      {"doubling", [](const Blocks& b, const Sink& s) { allgather_doubling(b, s); }},
      {"bruck", allgather_bruck},
      {"neighbor", allgather_neighbor_exchange}};
  for (const auto p : sizes)
    for (const auto& [name, algorithm] : algorithms) {
      SCOPED_TRACE(testing::Message() << name << " P " << p);
      Machine m(p, p);
      m.own_blocks();
      algorithm(uneven(p), m.sink());
      for (std::uint32_t r = 0; r < p; ++r)
        for (std::uint32_t b = 0; b < p; ++b)
          EXPECT_EQ(m.at(r, b), Machine::Content{1} << b) << "rank " << r << " block " << b;
      if (p < 2) continue;
      if (name != "doubling" || std::has_single_bit(p)) {
        // Nobody gets anything twice: everybody receives all blocks but its own.
        for (std::uint32_t r = 0; r < p; ++r) EXPECT_EQ(m.received[r], uneven(p).total() - uneven(p).bytes(r, 1));
      }
      const std::map<std::string, std::uint64_t> expected{
          {"linear", 1}, {"ring", p - 1}, {"bruck", lg(p)}, {"neighbor", p % 2 == 1 ? p - 1 : p / 2}};
      if (name != "doubling") {
        EXPECT_EQ(m.rounds(), expected.at(name));
      } else if (std::has_single_bit(p)) {
        EXPECT_EQ(m.rounds(), lg(p));
      } else
        EXPECT_LE(m.rounds(), 2 * lg(p));
    }
}

TEST(Schedule, AlltoallsCountPiecesAsTheFormulasSay) {
  for (const auto p : sizes) {
    for (const auto algorithm : {alltoall_linear, alltoall_pairwise}) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> sends_in_round;
      algorithm(p, 9, [&](const Message& m) {
        ++seen[{m.from, m.to}];
        ++sends_in_round[{m.round, m.from}];
        EXPECT_EQ(m.bytes, 9u);
        EXPECT_EQ(m.first_block, m.to);
      });
      EXPECT_EQ(seen.size(), p * (p - 1));
      for (const auto& [pair, n] : seen) EXPECT_TRUE(n == 1 && pair.first != pair.second);
      if (algorithm != alltoall_pairwise) continue;
      for (const auto& [at, n] : sends_in_round) EXPECT_EQ(n, 1);
    }
    // Bruck: pieces (source, destination) really travel: in the round of a distance every piece moves whose remaining
    // way has that bit.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> place;
    for (std::uint32_t s = 0; s < p; ++s)
      for (std::uint32_t d = 0; d < p; ++d) place[{s, d}] = s;
    std::uint64_t bytes = 0, messages = 0;
    alltoall_bruck(p, 9, [&](const Message& m) {
      const std::uint32_t distance = 1u << m.round;
      EXPECT_EQ(m.to, (m.from + distance) % p);
      std::uint64_t moved = 0;
      for (auto& [piece, at] : place) {
        const auto way = (piece.second + p - piece.first) % p;
        // Where the piece stands now: its source plus the bits of its way below this one.
        if ((way & distance) != 0 && at == m.from && at == (piece.first + (way & (distance - 1))) % p)
          at = m.to, ++moved;
      }
      EXPECT_EQ(m.bytes, 9 * moved);
      bytes += m.bytes, ++messages;
    });
    for (const auto& [piece, at] : place) EXPECT_EQ(at, piece.second);
    EXPECT_EQ(messages, p * lg(p));
    if (std::has_single_bit(p)) {  // (n/2) lg P for each, n = P m
      EXPECT_EQ(bytes, p * lg(p) * (p * 9 / 2));
    }
  }
}

}  // namespace schedule_test
}  // namespace mora::mpi::schedule
