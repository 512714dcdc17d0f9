#include "report/intervals/exclusion.h"

#include <gtest/gtest.h>

#include "analysis/efficiency/interval_table.h"
#include "support/analysis/efficiency_sample.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CubeSample;

/// step (line 10) 1, 2, 3, in each solve (line 20) 1 and 2: 7 us outside of intervals, steps 100, 200, 300 of their
/// own, solves 11, 12; 21, 22; 31, 32. Sum 7 + 600 + 129 = 736.
CubeSample nested() {
  CubeSample s(1);
  s.compute(0, 0, 7);
  for (const std::uint32_t i : {1u, 2u, 3u}) {
    const auto step = s.interval(0, 10, 1, i);
    s.compute(step, 0, 100 * i);
    for (const std::uint32_t k : {1u, 2u}) s.compute(s.interval(step, 20, 1, k), 0, 10 * i + k);
  }
  return s;
}

/// What is left of the program, in microseconds; -1 for an error.
std::int64_t left(const CubeSample& sample, const std::string& text, std::size_t* count = nullptr) {
  const auto exclusions = parse_exclusions(text);
  if (!exclusions) return -1;
  const auto rest = without_intervals(sample.cube, *exclusions, count);
  if (!rest) return -1;
  return analysis::interval_table(*rest).intervals[0].value(Characteristic::time_outside_mpi) / 1000;
}

TEST(ParseExclusions, IdsAndPlaces) {
  const auto some = parse_exclusions("1,solve.c:20#2,f(int, char)#3,#4#5");
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 4u);
  const char* const texts[] = {"1", "solve.c:20#2", "f(int, char)#3", "#4#5"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ((*some)[i].text(), texts[i]);
  EXPECT_EQ((*some)[0].place, "");
  EXPECT_EQ((*some)[2].place, "f(int, char)");
  EXPECT_EQ((*some)[2].id, 3u);
  for (const char* wrong : {"", "x", "1,", ",1", "#1", "solve", "solve#", "-1", "1 ", "99999999999", "1,solve.c:20"})
    EXPECT_FALSE(parse_exclusions(wrong)) << wrong;
}

TEST(WithoutIntervals, ABareIdIsThatOfTheOutermostPlaceThatHasIt) {
  const CubeSample s = nested();
  std::size_t count = 0;
  EXPECT_EQ(left(s, "1", &count), 736 - 100 - 11 - 12);  // not the first solve of steps 2 and 3
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(left(s, "1,3", &count), 736 - 123 - 300 - 63);
  EXPECT_EQ(count, 2u);
}

TEST(WithoutIntervals, WithAPlaceItIsEveryIntervalOfIt) {
  const CubeSample s = nested();
  std::size_t count = 0;
  EXPECT_EQ(left(s, "a.c:20#1", &count), 736 - 11 - 21 - 31);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(left(s, "/src/a.c:10#2"), 736 - 200 - 21 - 22);
  EXPECT_EQ(left(s, "1,a.c:20#1", &count), 736 - 123 - 21 - 31);
  EXPECT_EQ(count, 3u);  // what is in a step that is left out is not counted
  EXPECT_EQ(left(s, "interval#2"), 736 - 12 - 243 - 32);
}

TEST(WithoutIntervals, WhatIsNotNumberedIsPassedThrough) {
  CubeSample s(1);
  const auto outer = s.interval(0, 5);
  s.compute(outer, 0, 1000);
  for (const std::uint32_t i : {1u, 2u}) s.compute(s.interval(outer, 10, 1, i), 0, 10 * i);
  const auto other = s.interval(0, 30, 1, 2);  // a place that has no id 1
  s.compute(s.interval(other, 31, 1, 1), 0, 5);
  EXPECT_EQ(left(s, "1"), 1035 - 10 - 5);
  EXPECT_EQ(left(s, "2"), 1035 - 20 - 5);
}

TEST(WithoutIntervals, OneCallPathOrMany) {
  CubeSample s(1);  // the same interval by two call paths
  for (const char* function : {"MPI_A", "MPI_B"}) s.compute(s.interval(s.call(0, function), 10, 1, 1), 0, 30);
  s.compute(0, 0, 1);
  std::size_t count = 0;
  EXPECT_EQ(left(s, "1", &count), 1);
  EXPECT_EQ(count, 1u);
}

TEST(WithoutIntervals, SaysWhatThereIsNot) {
  const CubeSample s = nested();
  const auto none = without_intervals(s.cube, {{"", 1}, {"a.c:99", 1}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "no interval at 'a.c:99' has such an id");
  EXPECT_FALSE(without_intervals(s.cube, {{"", 4}}));
  EXPECT_FALSE(without_intervals(s.cube, {{"app", 0}}));  // the program stays
}

TEST(ExclusionWords, NameAll) {
  EXPECT_EQ(exclusion_words({{"", 1}, {"a.c:20", 2}}),
            "intervals with id 1, intervals a.c:20 with id 2 and all in them");
}

}  // namespace
}  // namespace mora::report
