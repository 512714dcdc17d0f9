/// Requests against computation: by hand, and against counting nanosecond by nanosecond.
#include "analysis/match/request_overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace mora::analysis {
namespace {

struct Location {
  LocalCallTree tree;
  RequestOverlap overlap{tree};
  std::uint32_t node(std::uint32_t region) { return tree.child(LocalCallTree::root, region); }
  /// The program computes in a call path of its own.
  void compute(Nanoseconds amount, std::uint32_t region) {
    overlap.compute(amount, 0);
    overlap.resolve(0, node(region));
  }
  Nanoseconds at(std::uint32_t region) { return tree.amounts(node(region)).overlap; }
};

TEST(RequestOverlap, CountsComputationOnceHoweverManyRequestsAreOpen) {
  Location l;
  l.compute(5, 1);  // before
  const auto a = l.overlap.start(), b = l.overlap.start(7);
  EXPECT_EQ(l.overlap.tag(b), 7U);
  l.compute(10, 2);
  EXPECT_EQ(l.overlap.complete(a), 10);
  l.compute(20, 3);
  EXPECT_EQ(l.overlap.complete(b), 30);
  l.compute(40, 4);  // behind
  EXPECT_EQ(l.at(1), 0);
  EXPECT_EQ(l.at(2), 10);
  EXPECT_EQ(l.at(3), 20);
  EXPECT_EQ(l.at(4), 0);
  EXPECT_EQ(l.overlap.computed(), 75);
}

TEST(RequestOverlap, WhatIsNeverCompletedCoversNothing) {
  Location l;
  const auto never = l.overlap.start();
  l.compute(10, 1);
  const auto a = l.overlap.start();
  l.compute(20, 2);
  EXPECT_EQ(l.overlap.complete(a), 20);
  l.compute(40, 3);
  EXPECT_EQ(l.at(1), 0);
  EXPECT_EQ(l.at(2), 20);
  EXPECT_EQ(l.overlap.waiting(), 2U);
  l.overlap.drop(never);
  EXPECT_EQ(l.overlap.waiting(), 0U);
  EXPECT_EQ(l.at(1) + l.at(3), 0);
}

TEST(RequestOverlap, StretchesBehindACompletionBelongToWhatIsStillOpen) {
  Location l;
  const auto a = l.overlap.start();
  l.compute(1, 1);
  const auto b = l.overlap.start();
  l.compute(2, 2);
  l.overlap.complete(a);
  l.compute(4, 3);  // lies lower on the stack than what was open when b started
  EXPECT_EQ(l.overlap.complete(b), 6);
  EXPECT_EQ(l.at(1), 1);
  EXPECT_EQ(l.at(2), 2);
  EXPECT_EQ(l.at(3), 4);
}

TEST(RequestOverlap, RegionsThatAreStillOpenGetTheirsWhenTheyAreKnown) {
  Location l;
  l.overlap.compute(1, 1);  // before the start, in the same stretch of depth 1
  const auto a = l.overlap.start();
  l.overlap.compute(2, 1);
  l.overlap.compute(4, 2);
  l.overlap.resolve(2, l.node(2));
  l.overlap.compute(8, 1);
  l.overlap.complete(a);
  l.overlap.compute(16, 1);
  l.overlap.resolve(1, l.node(1));
  l.overlap.compute(32, 1);  // another region at the same depth
  l.overlap.resolve(1, l.node(3));
  EXPECT_EQ(l.at(1), 10);
  EXPECT_EQ(l.at(2), 4);
  EXPECT_EQ(l.at(3), 0);
}

/// One request is never completed, 100 000 others are: what waits stays small.
TEST(RequestOverlap, MemoryIsBoundedByCallPathsAndOpenRequests) {
  Location l;
  l.overlap.start();
  Nanoseconds covered = 0;
  for (std::uint32_t i = 0; i < 100000; ++i) {
    l.compute(1, 1 + i % 3);
    const auto a = l.overlap.start();
    l.compute(2, 4);
    covered += l.overlap.complete(a);
    ASSERT_LE(l.overlap.waiting(), 4096U);
  }
  EXPECT_EQ(l.at(4), 200000);
  EXPECT_EQ(covered, 200000);
  EXPECT_EQ(l.at(1) + l.at(2) + l.at(3), 0);
}

TEST(RequestOverlap, EqualsCountingEveryNanosecond) {
  std::mt19937 random(5);
  const auto draw = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int program = 0; program < 300; ++program) {
    Location l;
    struct Open {
      std::uint32_t request = 0;
      std::size_t start = 0;
    };
    std::vector<Open> open;
    std::vector<std::uint32_t> region_of;  // by nanosecond
    std::vector<bool> is_covered;
    // Every hundredth program is long enough to be compacted.
    const int steps = program % 100 == 0 ? 20000 : 60;
    for (int step = 0; step < steps; ++step) {
      const std::uint32_t what = draw(steps > 60 && open.size() < 20 ? 6 : 8);
      if (what < 4) {
        const std::uint32_t amount = 1 + draw(3), region = 1 + draw(4);
        l.compute(amount, region);
        region_of.insert(region_of.end(), amount, region);
        is_covered.resize(region_of.size());
      } else if (what < 6) {
        open.push_back({l.overlap.start(), region_of.size()});
      } else if (!open.empty()) {
        const std::size_t which = draw(static_cast<std::uint32_t>(open.size()));
        if (draw(5) == 0) {
          l.overlap.drop(open[which].request);
        } else {
          EXPECT_EQ(l.overlap.complete(open[which].request),
                    static_cast<Nanoseconds>(region_of.size() - open[which].start));
          for (std::size_t t = open[which].start; t < region_of.size(); ++t) is_covered[t] = true;
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    for (std::uint32_t region = 1; region <= 4; ++region) {
      Nanoseconds wanted = 0;
      for (std::size_t t = 0; t < region_of.size(); ++t) wanted += region_of[t] == region && is_covered[t] ? 1 : 0;
      ASSERT_EQ(l.at(region), wanted) << "program " << program;
    }
  }
}

}  // namespace
}  // namespace mora::analysis
