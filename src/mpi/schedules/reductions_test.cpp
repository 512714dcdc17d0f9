#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "mpi/schedules/schedule.h"

namespace mora::mpi::schedule {
namespace {

using Content = std::uint64_t;

/// Runs a reduction: every rank contributes to every block; counts, and what each rank holds afterwards. Adding a
/// contribution twice fails.
struct Outcome {
  std::uint64_t messages = 0, bytes = 0;
  std::uint32_t rounds = 0;
  std::vector<std::vector<Content>> held;
  std::map<std::uint32_t, std::uint64_t> sent;
  bool ended_well = true;
};

template <class Run>
Outcome reduced(std::uint32_t ranks, std::uint32_t blocks, Run run, std::uint32_t rounds_of_halves = 0,
                bool carries_what_is_held = true) {
  Outcome o;
  o.held.assign(ranks, std::vector<Content>(blocks));
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (auto& b : o.held[r]) b = Content{1} << r;
  auto before = o.held;
  std::uint32_t round = 0;
  run([&](const Message& m) {
    EXPECT_NE(m.from, m.to);
    EXPECT_TRUE(m.from < ranks && m.to < ranks && m.round >= round);
    if (m.round > round) before = o.held, round = m.round;
    o.rounds = m.round + 1;
    ++o.messages;
    o.bytes += m.bytes;
    o.sent[m.from] += m.bytes;
    auto first = m.first_block, n = m.blocks;
    if (m.round < rounds_of_halves) first *= blocks / 2, n *= blocks / 2;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto b = (first + i) % blocks;
      auto& there = o.held[m.to][b];
      const auto carried = before[m.from][b];
      if (m.combine && carries_what_is_held && (there & carried) != 0)
        ADD_FAILURE() << "counted twice: " << m.from << " to " << m.to << " block " << b << " round " << m.round;
      there = m.combine ? there | carried : carried;
    }
  });
  return o;
}

Content all(std::uint32_t p) { return p == 64 ? ~Content{0} : (Content{1} << p) - 1; }
std::uint64_t lg(std::uint32_t p) { return p < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(p - 1)); }
std::uint64_t floor_lg(std::uint32_t p) { return static_cast<std::uint64_t>(std::bit_width(p)) - 1; }
const std::vector<std::uint32_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64};

void expect_all_have_all(const Outcome& o, std::uint32_t p) {
  for (std::uint32_t r = 0; r < p; ++r)
    for (const auto b : o.held[r]) EXPECT_EQ(b, all(p)) << "rank " << r << " of " << p;
}

TEST(Schedule, AllreduceOfWholeBuffers) {
  for (const auto p : sizes) {
    SCOPED_TRACE(p);
    const auto power = std::bit_floor(p), extra = p - power;
    const auto linear = reduced(p, 1, [&](const Sink& s) { allreduce_linear(p, 40, s); });
    expect_all_have_all(linear, p);
    EXPECT_EQ(linear.bytes, 2 * 40u * (p - 1));
    const auto doubling = reduced(p, 1, [&](const Sink& s) { allreduce_doubling(p, 40, s); });
    expect_all_have_all(doubling, p);
    EXPECT_EQ(doubling.messages, std::uint64_t{power} * floor_lg(p) + std::uint64_t{2} * extra);
    EXPECT_EQ(doubling.bytes, 40 * doubling.messages);
    EXPECT_EQ(doubling.rounds, floor_lg(p) + (extra > 0 ? 2 : 0));
    const auto trees =
        reduced(p, 1, [&](const Sink& s) { allreduce_trees(Tree::binomial_low, Tree::knomial4, p, 40, s); });
    expect_all_have_all(trees, p);
    EXPECT_EQ(trees.messages, 2u * (p - 1));
  }
}

TEST(Schedule, AllreduceRingSendsTwoPMinusOneParts) {
  for (const auto p : sizes) {
    SCOPED_TRACE(p);
    const auto o = reduced(p, p, [&](const Sink& s) { allreduce_ring(Blocks::parts(std::uint64_t{p} * 5, 8, p), s); });
    expect_all_have_all(o, p);
    EXPECT_EQ(o.rounds, 2 * (p - 1));
    EXPECT_EQ(o.messages, 2u * p * (p - 1));
    for (const auto& [rank, bytes] : o.sent) EXPECT_EQ(bytes, 2 * (p - 1) * 40u) << rank;  // 2 (P-1)/P m, m = 40 P
  }
}

TEST(Schedule, AllreduceRabenseifner) {
  for (const auto p : sizes) {
    if (p < 2) continue;
    const auto power = std::bit_floor(p), extra = p - power;
    const std::uint64_t count = std::uint64_t{power} * 6, bytes = count * 8;
    for (const auto fold : {Fold::whole, Fold::halves}) {
      SCOPED_TRACE(testing::Message() << p << (fold == Fold::whole ? " whole" : " halves"));
      const auto o = reduced(
          p, power, [&](const Sink& s) { allreduce_rabenseifner(fold, p, count, 8, s); },
          fold == Fold::halves && extra > 0 ? 2 : 0);
      expect_all_have_all(o, p);
      // Each of p' sends 2 (p'-1)/p' m; folding one m (or 3/2 m in halves), telling one m for each extra rank.
      EXPECT_EQ(o.bytes, std::uint64_t{2} * (power - 1) * bytes + extra * bytes +
                             (fold == Fold::halves ? extra * bytes * 3 / 2 : extra * bytes));
      EXPECT_EQ(o.rounds, 2 * floor_lg(p) + (extra > 0 ? (fold == Fold::halves ? 3 : 2) : 0));
      EXPECT_EQ(o.messages,
                std::uint64_t{2} * power * floor_lg(p) + std::uint64_t{extra} * (fold == Fold::halves ? 4 : 2));
    }
  }
}

TEST(Schedule, ReduceRabenseifnerEndsAtAnyRoot) {
  for (const auto p : sizes) {
    if (p < 2) continue;
    const auto power = std::bit_floor(p), extra = p - power;
    const std::uint64_t count = std::uint64_t{power} * 6, bytes = count * 8;
    for (std::uint32_t root = 0; root < p; ++root)
      for (const auto fold : {Fold::whole, Fold::halves}) {
        SCOPED_TRACE(testing::Message() << p << " root " << root);
        const auto o = reduced(
            p, power, [&](const Sink& s) { reduce_rabenseifner(fold, p, root, count, 8, s); },
            fold == Fold::halves && extra > 0 ? 2 : 0);
        for (const auto b : o.held[root]) EXPECT_EQ(b, all(p));
        // (p'-1) m of halving, (p'/2) lg p' parts of the binomial gather.
        EXPECT_EQ(o.bytes, (power - 1) * bytes + power / 2 * floor_lg(p) * (bytes / power) +
                               (fold == Fold::halves ? extra * bytes * 3 / 2 : extra * bytes));
        EXPECT_EQ(o.messages, std::uint64_t{power} * floor_lg(p) + (power - 1) +
                                  std::uint64_t{extra} * (fold == Fold::halves ? 3 : 1));
      }
  }
}

Blocks uneven(std::uint32_t p) {
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t r = 0; r < p; ++r) bytes.push_back(std::uint64_t{8} * (1 + r * 7 % 5));
  return Blocks::of(bytes);
}

TEST(Schedule, ReduceScattersLeaveEachBlockWithItsOwner) {
  using Function = void (*)(const Blocks&, const Sink&);
  const std::map<std::string, Function> algorithms{{"pairwise", reduce_scatter_pairwise},
                                                   {"ring", reduce_scatter_ring},
                                                   {"halving", reduce_scatter_halving},
                                                   {"butterfly", reduce_scatter_butterfly},
                                                   {"doubling", reduce_scatter_doubling}};
  for (const auto p : sizes)
    for (const auto& one : algorithms) {
      const std::string& name = one.first;
      const Function algorithm = one.second;
      SCOPED_TRACE(testing::Message() << name << " P " << p);
      const auto blocks = uneven(p);
      const bool passes_on = name == "doubling" && !std::has_single_bit(p);  // what was received, not what is held
      const auto o = reduced(
          p, p, [&](const Sink& s) { algorithm(blocks, s); }, 0, !passes_on);
      for (std::uint32_t r = 0; r < p; ++r) EXPECT_EQ(o.held[r][r], all(p)) << r;
      if (p < 2) continue;
      const auto n = blocks.total();
      const bool power = std::has_single_bit(p);
      if (name == "pairwise" || name == "ring" || (name == "halving" && power)) {
        EXPECT_EQ(o.bytes, (p - 1) * n);
      }
      if (name == "pairwise" || name == "ring") {
        EXPECT_EQ(o.rounds, p - 1);
      }
      if (name == "halving") {
        EXPECT_EQ(o.rounds, floor_lg(p) + (power ? 0 : 2));
      }
      if (name == "doubling" && power) {  // P n (lg P - (P-1)/P)
        EXPECT_EQ(o.bytes, n * p * lg(p) - (p - 1) * n);
      }
      if (name == "butterfly" && power && p > 2) {
        // Halving, then every rank whose number with its bits in the opposite order is another rank's sends one block.
        std::uint64_t moved = 0;
        for (std::uint32_t v = 0; v < p; ++v) {
          std::uint32_t reversed = 0;
          for (std::uint32_t k = 0; k < lg(p); ++k) reversed |= (v >> k & 1) << (lg(p) - 1 - k);
          if (reversed != v) moved += blocks.bytes(v, 1);
        }
        EXPECT_EQ(o.bytes, (p - 1) * n + moved);
      }
    }
}

TEST(Schedule, OpenMpisReductionsOfOddCounts) {
  // The first half is the smaller one, again and again: 7 elements of 4 bytes on 3 ranks (1 to 4 fold first).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent;
  allreduce_rabenseifner(Fold::halves, 3, 7, 4, [&](const Message& m) { sent[{m.from, m.to}] += m.bytes; });
  EXPECT_EQ((sent[{0, 1}]), 4u * 4 + 7 * 4);  // its right half, then the result
  EXPECT_EQ((sent[{1, 0}]), 3u * 4 + 4 * 4);
  EXPECT_EQ((sent[{0, 2}]), 4u * 4 + 3 * 4);
  EXPECT_EQ((sent[{2, 0}]), 3u * 4 + 4 * 4);
}

TEST(Schedule, ReduceScatterBlockWithMirroredBlocksNeedsNoExchange) {
  for (const std::uint32_t p : {2u, 4u, 8u, 32u}) {
    std::uint64_t messages = 0, bytes = 0;
    reduce_scatter_butterfly_block(p, 8, [&](const Message& m) { ++messages, bytes += m.bytes; });
    EXPECT_EQ(messages, p * lg(p));
    EXPECT_EQ(bytes, std::uint64_t{p} * (p - 1) * 8);
  }
}

TEST(Schedule, RecursiveDoublingPassesOnWhatRanksWithoutPartnerLack) {
  // 5 ranks, blocks of 8 bytes: as seen with Open MPI 4.1.4 (pml/monitoring).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, std::uint64_t>> sent;
  reduce_scatter_doubling(Blocks::uniform(5, 8), [&](const Message& m) {
    auto& [messages, bytes] = sent[{m.from, m.to}];
    ++messages, bytes += m.bytes;
  });
  EXPECT_EQ((sent[{0, 1}]), (std::pair<int, std::uint64_t>(2, 64)));
  EXPECT_EQ((sent[{0, 2}]), (std::pair<int, std::uint64_t>(2, 56)));
  EXPECT_EQ((sent[{0, 4}]), (std::pair<int, std::uint64_t>(1, 8)));
  EXPECT_EQ((sent[{1, 0}]), (std::pair<int, std::uint64_t>(1, 32)));
  EXPECT_EQ((sent[{1, 3}]), (std::pair<int, std::uint64_t>(1, 24)));
}

TEST(Schedule, BarriersTellEverybodyOfEverybody) {
  using Function = void (*)(std::uint32_t, const Sink&);
  struct Case {
    const char* name;
    Function run;
    std::function<std::uint64_t(std::uint32_t)> messages, rounds;
  };
  const auto power = [](std::uint32_t p) { return std::bit_floor(p); };
  const std::vector<Case> cases{
      {"linear", barrier_linear, [](auto p) { return 2 * (p - 1); }, [](auto) { return 2; }},
      {"doubling", barrier_doubling, [&](auto p) { return power(p) * floor_lg(p) + 2 * (p - power(p)); },
       [](auto p) { return floor_lg(p) + 2; }},
      {"dissemination", barrier_dissemination, [](auto p) { return p * lg(p); }, [](auto p) { return lg(p); }},
      {"tree", barrier_tree, [](auto p) { return 2 * (p - 1); }, [](auto p) { return 2 * lg(p); }}};
  for (const auto p : sizes)
    for (const auto& c : cases) {
      if (p < 2) continue;
      SCOPED_TRACE(testing::Message() << c.name << " P " << p);
      // Knowledge spreads: whoever gets a message knows what its sender knew before the round.
      std::vector<Content> knows(p), before;
      for (std::uint32_t r = 0; r < p; ++r) knows[r] = Content{1} << r;
      before = knows;
      std::uint32_t round = 0;
      std::uint64_t messages = 0;
      c.run(p, [&](const Message& m) {
        EXPECT_GE(m.round, round);
        if (m.round != round) before = knows, round = m.round;
        knows[m.to] |= before[m.from];
        EXPECT_EQ(m.bytes, 0u);
        ++messages;
      });
      for (const auto k : knows) EXPECT_EQ(k, all(p));
      EXPECT_EQ(messages, c.messages(p));
      if (std::string(c.name) != "doubling" || !std::has_single_bit(p)) {
        EXPECT_EQ(round + 1, c.rounds(p));
      }
    }
}

TEST(Schedule, ScansTellEachRankOfThoseBelow) {
  for (const auto p : sizes)
    for (const bool chain : {true, false}) {
      SCOPED_TRACE(testing::Message() << (chain ? "chain " : "doubling ") << p);
      // `partial`: what a rank passes on; `prefix`: what it knows of itself and those below.
      std::vector<Content> partial(p), prefix(p);
      for (std::uint32_t r = 0; r < p; ++r) partial[r] = prefix[r] = Content{1} << r;
      auto before = partial;
      std::uint32_t round = 0;
      std::uint64_t bytes = 0, messages = 0;
      (chain ? scan_chain : scan_doubling)(p, 16, [&](const Message& m) {
        if (m.round != round) before = partial, round = m.round;
        if (chain || m.from < m.to) {
          EXPECT_EQ(prefix[m.to] & before[m.from], 0u);
          prefix[m.to] |= before[m.from];
        }
        partial[m.to] |= before[m.from];
        bytes += m.bytes, ++messages;
      });
      for (std::uint32_t r = 0; r < p; ++r) EXPECT_EQ(prefix[r], all(r + 1));
      EXPECT_EQ(bytes, 16 * messages);
      if (chain) {
        EXPECT_EQ(messages, p - 1);
      } else if (std::has_single_bit(p)) {
        EXPECT_EQ(messages, p * lg(p));
      }
    }
}

TEST(Schedule, BlocksCutWithoutLoss) {
  const auto parts = Blocks::parts(10, 8, 4);
  EXPECT_EQ(parts.bytes(0, 1), 24u);
  EXPECT_EQ(parts.bytes(1, 1), 24u);
  EXPECT_EQ(parts.bytes(2, 1), 16u);
  EXPECT_EQ(parts.bytes(3, 1), 16u);
  EXPECT_EQ(parts.bytes(3, 2), 40u) << "cyclic";
  EXPECT_EQ(parts.bytes(6, 1), 16u) << "beyond the end";
  EXPECT_EQ(parts.bytes(2, 9), 80u) << "never more than all";
  const auto ceilings = Blocks::ceilings(10, 4);
  EXPECT_EQ(ceilings.bytes(0, 3), 9u);
  EXPECT_EQ(ceilings.bytes(3, 1), 1u);
  EXPECT_EQ(Blocks::ceilings(2, 4).bytes(2, 2), 0u);
}

}  // namespace
}  // namespace mora::mpi::schedule
