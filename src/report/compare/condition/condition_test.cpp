#include "report/compare/condition/condition.h"

#include <gtest/gtest.h>

#include "support/report/compare_sample.h"

namespace mora::compare {
namespace {

std::string error_of(const std::string& text) {
  const auto parsed = parse_condition(text);
  return parsed ? "parsed" : parsed.error().where + ": " + parsed.error().why;
}

Condition parsed(const std::string& text) {
  const auto condition = parse_condition(text);
  EXPECT_TRUE(condition) << text << ": " << (condition ? "" : condition.error().text());
  return condition ? *condition : Condition{};
}

TEST(Condition, ATestHasItsParts) {
  const Condition test = parsed(" delta( lost_time @ solve.c:20#3 ) >= -2.5ms ");
  EXPECT_EQ(test.kind, Condition::Kind::test);
  EXPECT_EQ(test.against, Against::delta);
  EXPECT_EQ(test.name, "lost_time");
  EXPECT_EQ(test.interval, "solve.c:20#3");
  EXPECT_EQ(test.comparator, Comparator::greater_equal);
  EXPECT_EQ(test.number, -2.5e6L);
  EXPECT_EQ(test.unit, NumberUnit::seconds);
  EXPECT_EQ(test.text, "delta( lost_time @ solve.c:20#3 ) >= -2.5ms");
}

TEST(Condition, Numbers) {
  EXPECT_EQ(parsed("a < 5%").number, 0.05L);
  EXPECT_EQ(parsed("a < 5 %").unit, NumberUnit::percent);
  EXPECT_EQ(parsed("a < 10us").number, 10000.0L);
  EXPECT_EQ(parsed("a < 10µs").number, 10000.0L);
  EXPECT_EQ(parsed("a < 1min").number, 60e9L);
  EXPECT_EQ(parsed("a < 2MiB").number, 2097152.0L);
  EXPECT_EQ(parsed("a < .5").number, 0.5L);
  EXPECT_EQ(parsed("a < 0.5 and b > 1").parts.size(), 2u);  // "and" is no unit
}

TEST(Condition, AndBindsMoreThanOr) {
  const Condition condition = parsed("a < 1 or b < 2 and not (c < 3 or d < 4)");
  ASSERT_EQ(condition.kind, Condition::Kind::either);
  ASSERT_EQ(condition.parts.size(), 2u);
  ASSERT_EQ(condition.parts[1].kind, Condition::Kind::both);
  ASSERT_EQ(condition.parts[1].parts[1].kind, Condition::Kind::negation);
  EXPECT_EQ(condition.parts[1].parts[1].parts[0].kind, Condition::Kind::either);
}

TEST(Condition, IntervalsInQuotesMayHoldAnything) {
  EXPECT_EQ(parsed("late-sender @ \"my (odd) name\" > 0").interval, "my (odd) name");
  EXPECT_EQ(parsed("late-sender@0.2.1>0").interval, "0.2.1");
  EXPECT_EQ(parsed("metric:time > 0").name, "metric:time");
}

TEST(Condition, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(""), "at its end: the name of a figure, \"delta(\", \"ratio(\", \"not\" or \"(\" is expected");
  EXPECT_EQ(error_of("efficiency"), "at its end: a comparison is expected: < <= > >= == !=");
  EXPECT_EQ(error_of("efficiency = 1"), "column 12: = 1: \"==\" is expected, not \"=\"");
  EXPECT_EQ(error_of("efficiency < x"), "column 14: x: a number is expected");
  EXPECT_EQ(error_of("efficiency < 1 2"), "column 16: 2: \"and\", \"or\" or the end is expected");
  EXPECT_EQ(error_of("efficiency < 1 furlong"),
            "column 16: furlong: the unit is not known; there are % ns us ms s min h B kB MB GB KiB MiB GiB");
  EXPECT_EQ(error_of("(efficiency < 1"), "at its end: \")\" is expected");
  EXPECT_EQ(error_of("delta lost_time > 1"),
            "column 1: delta lost_time > 1: \"(\" is expected after \"delta\" and \"ratio\"");
  EXPECT_EQ(error_of("a @ > 1"),
            "column 5: > 1: an interval is expected after \"@\": a number as 0.2, FILE:LINE or a name");
  EXPECT_EQ(error_of("a @ \"b > 1"), "column 5: \"b > 1: the second \" is missing");
  EXPECT_EQ(error_of("a < 1 and"),
            "at its end: the name of a figure, \"delta(\", \"ratio(\", \"not\" or \"(\" is expected");
}

TEST(Condition, HostileInputIsRefusedOrRead) {
  EXPECT_NE(error_of(std::string(5000, '(')), "parsed");
  EXPECT_NE(error_of(std::string(4000, '(')).find("100 levels"), std::string::npos);
  std::string nots;
  for (int i = 0; i < 900; ++i) nots += "not ";
  EXPECT_NE(error_of(nots + "a < 1").find("100 levels"), std::string::npos);
  EXPECT_NE(error_of("a < " + std::string(60, '9')), "parsed");
  EXPECT_NE(error_of("a < 1e999"), "parsed");
  EXPECT_NE(error_of("a < -"), "parsed");
  EXPECT_NE(error_of("a < ."), "parsed");
  EXPECT_NE(error_of(std::string("a\0 < 1", 6)), "parsed");
  EXPECT_NE(error_of("\xff\xfe < 1"), "parsed");
  std::string chain = "a < 1";
  for (int i = 0; i < 400; ++i) chain += " or a < 1";
  EXPECT_EQ(error_of(chain), "parsed");
  // Every prefix of a valid condition, and every single character replaced, ends with an answer.
  const std::string valid = "not (delta(lost_time @ \"x y\") >= 10.5ms or ratio(a-b) != 3%) and z < +1";
  for (std::size_t i = 0; i < valid.size(); ++i) {
    error_of(valid.substr(0, i));
    for (const char c : {'(', ')', '@', '"', '<', '\0', '\x80', '.', '9'}) {
      std::string broken = valid;
      broken[i] = c;
      error_of(broken);
    }
  }
}

/// Two runs of two processes: main computes 60 and 40, then 70 and 30; solve.c:20 (20 each), moved to line 25 (10
/// each).
Verdict verdict_of(const std::string& text, const Comparison& comparison) {
  const auto verdict = evaluate(parsed(text), comparison);
  EXPECT_TRUE(verdict) << (verdict ? "" : verdict.error().text());
  return verdict ? *verdict : Verdict{};
}

bool holds(const std::string& text, const Comparison& comparison) { return verdict_of(text, comparison).holds; }

std::string refused(const std::string& text, const Comparison& comparison) {
  const auto verdict = evaluate(parsed(text), comparison);
  return verdict ? "evaluated" : verdict.error().what + "|" + verdict.error().help;
}

TEST(Condition, NamesMeanTheLastRun) {
  const Comparison comparison = sample_comparison();
  EXPECT_TRUE(holds("time == 100ns", comparison));
  EXPECT_TRUE(holds("time == 0.0000001", comparison));  // without a unit: seconds
  EXPECT_TRUE(holds("metric:time @ solve.c:25 == 20ns", comparison));
  EXPECT_TRUE(holds("processors == 2 and not processors > 2", comparison));
  EXPECT_TRUE(holds("delta(time) == -20ns", comparison));
  EXPECT_FALSE(holds("delta(time) > 5%", comparison));
  EXPECT_TRUE(holds("delta(time) < -15%", comparison));  // -20 of 120 = -16.7 %
  EXPECT_FALSE(holds("delta(time) < -17%", comparison));
  EXPECT_TRUE(holds("ratio(time @ 0.1) == 50%", comparison));
  EXPECT_TRUE(holds("visits == 3", comparison));
}

TEST(Condition, AnIntervalMayBeCalledAsInTheFirstRun) {
  const Comparison comparison = sample_comparison();
  EXPECT_TRUE(holds("time @ solve.c:20 == 20ns", comparison));
}

TEST(Condition, ReasonsAreThoseThatDecide) {
  const Comparison comparison = sample_comparison();
  EXPECT_EQ(verdict_of("time > 1s or time < 1s", comparison).reasons,
            (std::vector<std::string>{"time < 1s: true (it is 0.0000001 s)"}));
  EXPECT_EQ(verdict_of("delta(time) > 5% and time > 0", comparison).reasons,
            (std::vector<std::string>{"delta(time) > 5%: false (it is -0.00000002 s (-16.67 %))"}));
}

TEST(Condition, WhatCannotBeEvaluatedIsAnError) {
  const Comparison comparison = sample_comparison();
  EXPECT_EQ(refused("effciency < 1", comparison), "there is no figure effciency|did you mean efficiency?");
  EXPECT_EQ(refused("time @ nowhere < 1", comparison).substr(0, 36), "there is no such interval: nowhere|`");
  EXPECT_EQ(refused("time < 5%", comparison), "the unit does not fit|");
  EXPECT_EQ(refused("efficiency < 5ms", comparison), "the unit does not fit|");
  EXPECT_EQ(refused("ratio(time) < 5ms", comparison), "the unit does not fit|");
  EXPECT_EQ(refused("ipc < 1", comparison).substr(0, 21), "ipc is not known of B");
  EXPECT_EQ(refused("late-sender > 1", comparison).substr(0, 29), "late-sender is not known of B");
  // An error does not depend on whether another part decides.
  EXPECT_EQ(refused("time < 1s or effciency < 1", comparison), "there is no figure effciency|did you mean efficiency?");
  const Comparison single({sample_run("a", 60, 20, 20)}, {{"A", {0}}});
  EXPECT_EQ(refused("delta(time) > 0", single).substr(0, 35), "delta() and ratio() compare two run");
  EXPECT_TRUE(holds("time > 1ns", single));
}

TEST(Condition, ADifferenceInsideTheSpreadCountsAsNone) {
  // A: 120, 130; B: 126, 128: the ranges overlap. C: 150, 152: 26 away, more than the wider range, 10.
  std::vector<compare::Run> runs;
  for (const std::int64_t time : {120, 130, 126, 128, 150, 152}) runs.push_back(sample_run("r", time - 60, 20, 20));
  const Comparison chance(runs, {{"A", {0, 1}}, {"B", {2, 3}}});
  EXPECT_FALSE(holds("delta(time) > 0", chance));
  EXPECT_TRUE(holds("ratio(time) == 1", chance));
  EXPECT_TRUE(holds("time == 127ns", chance));
  EXPECT_EQ(verdict_of("delta(time) > 0", chance).reasons[0],
            "delta(time) > 0: false (it is 0.000000002 s but inside the run-to-run spread: counts as no change)");
  const Comparison real(runs, {{"A", {0, 1}}, {"C", {4, 5}}});
  EXPECT_TRUE(holds("delta(time) == 26ns", real));
}

}  // namespace
}  // namespace mora::compare
