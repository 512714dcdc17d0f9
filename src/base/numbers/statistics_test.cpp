/// Statistics objects (Wolf 1998, 6.2) against the example of Jain 1985 with every intermediate median, and what is
/// easily done wrong: variance of large values close together, too few values.
#include "base/numbers/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace mora {
namespace {

const std::vector<double> paper = {0.02,  0.15,  0.74, 3.39, 0.83, 22.37, 10.15, 15.43, 38.62, 15.92,
                                   34.60, 10.28, 1.47, 0.40, 0.05, 11.39, 0.27,  0.42,  0.09,  11.37};

Statistics of(const std::vector<double>& values) {
  Statistics made;
  for (const double value : values) EXPECT_TRUE(made.add(value));
  return made;
}

/// Bits, not values: 0.0 and -0.0 differ.
bool same(const Statistics& a, const Statistics& b) {
  const auto x = a.state();
  const auto y = b.state();
  return std::memcmp(x.data(), y.data(), sizeof x) == 0;
}

TEST(Statistics, NothingHasOnlyACount) {
  const Statistics none;
  EXPECT_EQ(none.count(), 0);
  for (const auto& answer : {none.sum(), none.minimum(), none.mean(), none.maximum(), none.variance(),
                             none.lower_quartile(), none.median(), none.upper_quartile()})
    EXPECT_FALSE(answer);
  EXPECT_EQ(none.variance().error().what, "the variance needs at least 2 values");
  EXPECT_EQ(none.median().error().kind, ErrorKind::usage);
}

TEST(Statistics, OneValue) {
  const Statistics one = of({3.5});
  EXPECT_EQ(*one.sum(), 3.5);
  EXPECT_EQ(*one.minimum(), 3.5);
  EXPECT_EQ(*one.mean(), 3.5);
  EXPECT_EQ(*one.maximum(), 3.5);
  EXPECT_FALSE(one.variance());
  EXPECT_FALSE(one.lower_quartile());
}

TEST(Statistics, TheVarianceIsTheSampleVariance) { EXPECT_EQ(*of({2, 4}).variance(), 2); }

TEST(Statistics, FourValuesHaveNoQuartilesButMinimumAndMaximum) {
  const Statistics four = of({3, 1, 4, 2});
  EXPECT_FALSE(four.lower_quartile());
  EXPECT_FALSE(four.median());
  EXPECT_FALSE(four.upper_quartile());
  EXPECT_EQ(*four.minimum(), 1);
  EXPECT_EQ(*four.maximum(), 4);
}

TEST(Statistics, FiveValuesAreExact) {
  const Statistics five = of({5, 3, 1, 4, 2});
  EXPECT_EQ(*five.sum(), 15);
  EXPECT_EQ(*five.mean(), 3);
  EXPECT_EQ(*five.variance(), 2.5);
  EXPECT_EQ(*five.lower_quartile(), 2);
  EXPECT_EQ(*five.median(), 3);
  EXPECT_EQ(*five.upper_quartile(), 4);
}

TEST(Statistics, OneToAHundredUpAndDown) {
  Statistics up;
  Statistics down;
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(up.add(i));
    ASSERT_TRUE(down.add(101 - i));
  }
  EXPECT_DOUBLE_EQ(*up.lower_quartile(), 25);
  EXPECT_DOUBLE_EQ(*up.median(), 50);
  EXPECT_DOUBLE_EQ(*up.upper_quartile(), 75);
  EXPECT_DOUBLE_EQ(*down.lower_quartile(), 26);
  EXPECT_DOUBLE_EQ(*down.median(), 51);
  EXPECT_DOUBLE_EQ(*down.upper_quartile(), 76);
}

TEST(Statistics, EqualValuesDoNotDivideByZero) {
  const Statistics sevens = of(std::vector<double>(50, 7.0));
  EXPECT_EQ(*sevens.lower_quartile(), 7);
  EXPECT_EQ(*sevens.median(), 7);
  EXPECT_EQ(*sevens.upper_quartile(), 7);
  EXPECT_EQ(*sevens.variance(), 0);
}

TEST(Statistics, ThePapersSequenceWithEveryMedian) {
  const std::vector<double> medians = {0.74,     0.74,     0.74,     2.178333, 4.752685, 4.752685, 9.274705, 9.274705,
                                       9.274705, 9.274705, 6.297302, 6.297302, 6.297302, 6.297302, 4.440634, 4.440634};
  Statistics s;
  for (std::size_t i = 0; i < paper.size(); ++i) {
    ASSERT_TRUE(s.add(paper[i]));
    if (i < 4) continue;
    EXPECT_NEAR(*s.median(), medians[i - 4], 5e-7) << "after value " << i + 1;
  }
  EXPECT_EQ(s.count(), 20);
  EXPECT_NEAR(*s.sum(), 177.96, 1e-12);
  EXPECT_NEAR(*s.mean(), 8.898, 1e-12);
  EXPECT_EQ(*s.minimum(), 0.02);
  EXPECT_EQ(*s.maximum(), 38.62);
  EXPECT_NEAR(*s.variance(), 135.798248421, 5e-10);
  EXPECT_NEAR(*s.lower_quartile(), 0.493895448, 5e-10);
  EXPECT_NEAR(*s.median(), 4.440634353, 5e-10);
  EXPECT_NEAR(*s.upper_quartile(), 17.203904274, 5e-10);
  const auto state = s.state();
  EXPECT_EQ(std::vector<double>(state.begin() + 5, state.begin() + 11), (std::vector<double>{1, 6, 10, 16, 20, 20}));
}

TEST(Statistics, ACopyFromThirteenValuesContinuesBitForBit) {
  for (std::size_t k = 0; k <= paper.size(); ++k) {
    Statistics original = of({paper.begin(), paper.begin() + static_cast<std::ptrdiff_t>(k)});
    auto copy = Statistics::from_state(original.state());
    ASSERT_TRUE(copy) << k << copy.error().text();
    for (const double value : paper) {
      EXPECT_TRUE(same(original, *copy)) << k;
      ASSERT_TRUE(original.add(value));
      ASSERT_TRUE(copy->add(value));
    }
    EXPECT_TRUE(same(original, *copy)) << k;
  }
}

TEST(Statistics, VarianceOfLateTimesMicrosecondsApartDoesNotCancel) {
  Statistics late;
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(late.add(2025.4 + 1e-6 * (i % 2)));
  // Half of the values are 1 µs above the others; the differences of doubles near 2025.4 are good to 2.3e-13 s.
  EXPECT_NEAR(*late.variance() / 2.5e-13, 1.0, 1e-4);
}

TEST(Statistics, WhatIsNoNumberChangesNothing) {
  Statistics s = of(paper);
  const Statistics before = s;
  EXPECT_FALSE(s.add(std::nan("")));
  EXPECT_FALSE(s.add(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(same(s, before));
}

TEST(Statistics, HugeValuesKeepTheMarkersInOrder) {
  std::mt19937_64 random(1);
  Statistics s;
  for (int i = 0; i < 2000; ++i) {
    const double sign = random() % 2 == 0 ? 1.0 : -1.0;
    ASSERT_TRUE(s.add(sign * (1.7e308 - 1e305 * static_cast<double>(random() % 100))));
    const auto state = s.state();
    for (std::size_t m = 1; m < 5 && i >= 4; ++m) ASSERT_LE(state[m - 1], state[m]) << i;
  }
}

TEST(Statistics, ThirteenOtherValuesAreRefused) {
  const auto good = of(paper).state();
  for (std::size_t i = 0; i < 13; ++i) {
    if (i == 11) continue;  // any sum is possible
    auto bad = good;
    bad[i] = i == 0 ? 1000 : -1000;
    EXPECT_FALSE(Statistics::from_state(bad)) << i;
    bad[i] = std::nan("");
    EXPECT_FALSE(Statistics::from_state(bad)) << i;
  }
  auto fractional = good;
  fractional[6] = 6.5;
  EXPECT_FALSE(Statistics::from_state(fractional));
  EXPECT_FALSE(Statistics::from_state({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(Statistics::from_state({}));
}

TEST(Statistics, MergingIsExactButForTheQuartiles) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(10, 2);
  for (const int split : {0, 1, 3, 4, 5, 7, 500, 996, 999, 1000}) {
    Statistics all;
    Statistics a;
    Statistics b;
    for (int i = 0; i < 1000; ++i) {
      const double value = normal(random);
      ASSERT_TRUE(all.add(value));
      ASSERT_TRUE((i < split ? a : b).add(value));
    }
    Statistics ab = a;
    ab.merge(b);
    Statistics ba = b;
    ba.merge(a);
    EXPECT_TRUE(same(ab, ba)) << split;
    EXPECT_EQ(ab.count(), 1000);
    EXPECT_EQ(*ab.minimum(), *all.minimum());
    EXPECT_EQ(*ab.maximum(), *all.maximum());
    EXPECT_NEAR(*ab.sum(), *all.sum(), 1e-9);
    EXPECT_NEAR(*ab.variance(), *all.variance(), 1e-9);
    EXPECT_NEAR(*ab.median(), *all.median(), 0.25) << split;
    EXPECT_NEAR(*ab.lower_quartile(), *all.lower_quartile(), 0.25) << split;
    EXPECT_NEAR(*ab.upper_quartile(), *all.upper_quartile(), 0.25) << split;
    EXPECT_TRUE(Statistics::from_state(ab.state())) << split;
  }
}

TEST(Statistics, MergingFiveAndFiveByHand) {
  // 1…5 and 11…15: ten values; markers at 1, 3, 6, 8, 10 (positions 1, 3.25, 5.5, 7.75, 10 rounded, halves up).
  Statistics merged = of({1, 2, 3, 4, 5});
  merged.merge(of({11, 12, 13, 14, 15}));
  const auto state = merged.state();
  EXPECT_EQ(std::vector<double>(state.begin(), state.begin() + 10),
            (std::vector<double>{1, 3, 11, 13, 15, 1, 3, 6, 8, 10}));
  EXPECT_EQ(*merged.variance(), (2 * 10 + 10 * 25) / 9.0);
}

TEST(Statistics, ResetIsEmpty) {
  Statistics s = of(paper);
  s.reset();
  EXPECT_TRUE(same(s, Statistics()));
}

}  // namespace
}  // namespace mora
