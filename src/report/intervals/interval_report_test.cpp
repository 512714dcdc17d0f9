#include "report/intervals/interval_report.h"

#include <gtest/gtest.h>

#include "analysis/efficiency/efficiency_sample.h"
#include "report/intervals/quality_notes.h"
#include "report/intervals/seconds_format.h"
#include "report/intervals/why.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CubeSample;
using analysis::IntervalTable;

TEST(SecondsFormat, NeverRoundsAndTellsWhenDigitsAreLost) {
  SecondsFormat coarse(SecondsFormat::Unit::microseconds);
  EXPECT_EQ(coarse(2'079'975'000), "2.079975");
  EXPECT_EQ(coarse(-55'000), "-0.000055");
  EXPECT_EQ(coarse.truncated(19'140'750), "0.019140");  // 4.1.3: rounding would give …141
  EXPECT_FALSE(coarse.lost_digits());
  EXPECT_EQ(coarse(1'999), "0.000001");
  EXPECT_TRUE(coarse.lost_digits());
  SecondsFormat fine(SecondsFormat::Unit::nanoseconds);
  EXPECT_EQ(fine(1), "0.000000001");
  EXPECT_EQ(fine(INT64_MIN), "-9223372036.854775808");
}

TEST(RatioText, RoundsToNearestButNeverToOneOrZero) {
  EXPECT_EQ(ratio_text(8'143'794, 8'319'900), "0.978833");
  EXPECT_EQ(ratio_text(2, 3), "0.666667");
  EXPECT_EQ(ratio_text(9'999'999'999, 10'000'000'000), "0.999999");
  EXPECT_EQ(ratio_text(1, 10'000'000'000), "0.000001");
  EXPECT_EQ(ratio_text(5, 5), "1.000000");
  EXPECT_EQ(ratio_text(0, 5), "0.000000");
  EXPECT_EQ(ratio_text(0, 0), "1.000000");
  EXPECT_EQ(ratio_text(-1, 2), "-0.500000");
  EXPECT_EQ(ratio_text(INT64_MAX, INT64_MAX), "1.000000");
}

TEST(ParseRanks, RangesListsAndAll) {
  const auto some = parse_ranks("0,4-7");
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->holds(0) && some->holds(4) && some->holds(7));
  EXPECT_FALSE(some->holds(1) || some->holds(8));
  EXPECT_TRUE(parse_ranks("all")->holds(4'000'000));
  for (const char* wrong : {"", "1,", "a", "-3", "3-", "5-2", "1 2", "99999999999"})
    EXPECT_FALSE(parse_ranks(wrong)) << wrong;
}

/// Two processes; step (id 1, 2) with a receive in it, and a sequential section.
CubeSample sample() {
  CubeSample s(2);
  const auto setup = s.interval(0, 5, cube::all_processes);
  const auto first = s.interval(0, 10, 1, 1), second = s.interval(0, 10, 1, 2);
  const auto inner = s.interval(second, 11);
  const auto receive = s.call(inner, "MPI_Recv");
  for (const unsigned r : {0u, 1u}) {
    s.compute(setup, r, 7), s.compute(first, r, 20 + r), s.compute(second, r, 30), s.compute(inner, r, 10);
    s.add("visits", receive, r, 1);
  }
  s.add("point-to-point", receive, 0, 4);
  s.add("late-sender", receive, 1, 9);
  s.add("overhead", second, 1, 2);
  s.add("potential-synchronization-point-to-point", receive, 1, 9);
  return s;
}

TEST(ShownIntervals, ByLevelAndByIntervalWithWhatIsInIt) {
  const IntervalTable table = analysis::interval_table(sample().cube);
  ASSERT_EQ(table.intervals.size(), 5u);
  IntervalReportOptions options;
  EXPECT_EQ(shown_intervals(table, options).size(), 5u);
  options.level = 0;
  EXPECT_EQ(shown_intervals(table, options), std::vector<std::size_t>{0});
  options.level.reset();
  options.interval = 3;
  EXPECT_EQ(shown_intervals(table, options), (std::vector<std::size_t>{3, 4}));
  options.level = 1;
  EXPECT_EQ(shown_intervals(table, options), std::vector<std::size_t>{3});
}

/// The sum of an operand's operands.
Nanoseconds sum_of(const Operand& operand) {
  Nanoseconds sum = 0;
  for (const Operand& term : operand.operands) sum += term.is_subtracted ? -term.value : term.value;
  return sum;
}

void expect_sums(const Operand& operand) {
  if (!operand.operands.empty()) {
    EXPECT_EQ(sum_of(operand), operand.value) << operand.name;
  }
  for (const Operand& term : operand.operands) expect_sums(term);
}

TEST(Rules, OlderNameOfTheDvmAnalysersIsAcceptedAndNotListed) {
  const auto rules = analysis::parse_rules("dvm-analyser", nullptr), older = analysis::parse_rules("thesis", nullptr);
  ASSERT_TRUE(rules && older);
  EXPECT_EQ(analysis::names(*rules), analysis::names(*older));
  std::string why;
  EXPECT_FALSE(analysis::parse_rules("thesi", &why));
  EXPECT_EQ(why.find("thesis"), std::string::npos) << why;
  EXPECT_NE(why.find("dvm-analyser"), std::string::npos) << why;
}

TEST(Operands, SumToTheNumberUnderAllRules) {
  const CubeSample s = sample();
  for (const char* rules : {"", "dvm-analyser", "productive=one-mpi", "load=execution,synchronization=lateness"}) {
    const IntervalTable table = analysis::interval_table(s.cube, *analysis::parse_rules(rules, nullptr));
    for (std::size_t i = 0; i < table.intervals.size(); ++i) {
      for (const analysis::CharacteristicInfo& info : analysis::characteristic_infos()) {
        if (info.id == Characteristic::efficiency || info.id == Characteristic::total_time) continue;
        expect_sums(operands_of(table, {i, info.id, std::nullopt}));
        for (std::size_t p = 0; p < table.intervals[i].processes.size(); ++p)
          expect_sums(operands_of(table, {i, info.id, p}));
      }
    }
  }
}

TEST(Contributions, SumToTheNumberWhereCallPathsMakeIt) {
  const CubeSample s = sample();
  const IntervalTable table = analysis::interval_table(s.cube);
  using enum Characteristic;
  for (const Characteristic c :
       {cpu_time, mpi_time, communication, point_to_point, measurement, idle_time, load_imbalance,
        potential_synchronization, real_synchronization, system_insufficient_parallelism}) {
    for (std::size_t i = 0; i < table.intervals.size(); ++i) {
      for (std::size_t p = 0; p <= table.intervals[i].processes.size(); ++p) {
        Question question{i, c, p};
        if (p == table.intervals[i].processes.size()) question.process.reset();
        Nanoseconds sum = 0;
        for (const Contribution& part : contributions_of(s.cube, table, question)) sum += part.amount;
        EXPECT_EQ(sum, operands_of(table, question).value) << analysis::info_of(c).key << " of interval " << i;
      }
    }
  }
}

TEST(ParseQuestion, FromTheRight) {
  const IntervalTable table = analysis::interval_table(sample().cube);
  const auto whole = parse_question("lost_time", table);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->interval, 0u);
  EXPECT_FALSE(whole->process);
  const auto by_file = parse_question("/src/a.c:10#2/Potential Sync./1", table);
  ASSERT_TRUE(by_file);
  EXPECT_EQ(by_file->interval, 3u);
  EXPECT_EQ(by_file->characteristic, Characteristic::potential_synchronization);
  EXPECT_EQ(by_file->process, 1u);
  EXPECT_EQ(parse_question("idle_tim", table).error().help, "did you mean idle_time?");
  EXPECT_FALSE(parse_question("", table));
  EXPECT_FALSE(parse_question("0/", table));
  EXPECT_FALSE(parse_question("0/3", table));
}

TEST(QualityNotes, StandWithTheIntervalsOfTheRankConcerned) {
  CubeSample s = sample();
  const auto alone = s.interval(0, 30);
  s.compute(alone, 0, 5);
  IntervalTable table = analysis::interval_table(s.cube);
  add_quality_notes({{"clock-violation", Severity::warning, "rank 1", 2, "received before sent", ""},
                     {"cut-off", Severity::loss, "", 1, "the file ends early", ""},
                     {"harmless", Severity::info, "rank 0", 1, "nothing", ""},
                     {"interval-unknown-site", Severity::info, "rank 1", 3, "no place", ""}},
                    s.cube, table);
  const std::vector<std::string> all = {"received before sent (clock-violation: 2, rank 1)",
                                        "the file ends early (cut-off: 1)",
                                        "no place (interval-unknown-site: 3, rank 1)"};
  EXPECT_EQ(table.intervals[0].notes, all);
  const std::vector<std::string>& of_one = table.intervals.back().notes;
  EXPECT_EQ(of_one.back(), all[1]);
  EXPECT_EQ(std::count(of_one.begin(), of_one.end(), all[0]), 0);
}

TEST(WhyText, SaysThatTheTraceIsGone) {
  const CubeSample s = sample();
  const IntervalTable table = analysis::interval_table(s.cube);
  const std::string text = why_text(s.cube, table, {0, Characteristic::user_insufficient_parallelism, std::nullopt},
                                    nullptr, "cannot open the trace", {});
  EXPECT_NE(text.find("The calls behind it cannot be listed: cannot open the trace"), std::string::npos) << text;
  EXPECT_NE(text.find("14000 ns x 1/2"), std::string::npos) << text;  // setup: 7 us on each of two
}

TEST(WhyText, SaysWhereItRoundsDown) {
  CubeSample s(3);  // 2/3 of 3000 ns each is exact, of 1000 ns it is not
  const auto exact = s.interval(0, 5, cube::all_processes);
  for (const unsigned r : {0u, 1u, 2u}) s.compute(exact, r, 3);
  const auto rounded = s.interval(0, 6, cube::all_processes);
  for (const unsigned r : {0u, 1u, 2u}) s.compute(rounded, r, 1);
  const std::string text = why_text(s.cube, analysis::interval_table(s.cube),
                                    {0, Characteristic::user_insufficient_parallelism, std::nullopt}, nullptr, "", {});
  EXPECT_NE(text.find("9000 ns x 2/3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3000 ns x 2/3, rounded down per process\n"), std::string::npos) << text;
}

TEST(IntervalsCsv, QuotesAndCounts) {
  CubeSample s(1);
  s.cube.call_paths[0].name = "a,\"b\"";
  s.compute(0, 0, 3);
  const std::string csv = intervals_csv(analysis::interval_table(s.cube), {});
  EXPECT_NE(csv.find("0,,0,0,0,\"a,\"\"b\"\"\",0,cpu_time,0.000003\n"), std::string::npos) << csv;
}

TEST(IntervalsCsv, HasRulesExtremesKindsAndNotes) {
  IntervalTable table = analysis::interval_table(sample().cube);
  table.intervals[0].notes = {"recorded, half"};
  IntervalReportOptions options;
  options.left_out = {{"a.c:9", 1}};
  const std::string csv = intervals_csv(table, options);
  // The receive of rank 0 takes 4, of rank 1 9 of waiting; rank 0 computes 67, rank 1 68: mean 67.5.
  for (const char* row :
       {",,,,,,,rule/load,computation\n", ",,,,,,,without_id,a.c:9#1\n",
        "0,/src/a.c,7,0,0,app,,note,\"recorded, half\"\n", "0,/src/a.c,7,0,0,app,,cpu_time/min,0.000067\n",
        "0,/src/a.c,7,0,0,app,,cpu_time/min_rank,0\n", "0,/src/a.c,7,0,0,app,,cpu_time/max,0.000068\n",
        "0,/src/a.c,7,0,0,app,,cpu_time/max_rank,1\n", "0,/src/a.c,7,0,0,app,,cpu_time/mean,0.0000675\n",
        "0,/src/a.c,7,0,0,app,,MPI_Recv/count,2\n", "0,/src/a.c,7,0,0,app,,MPI_Recv/communication,0.000013\n",
        "0,/src/a.c,7,0,0,app,1,MPI_Recv/real_synchronization,0.000009\n"})
    EXPECT_NE(csv.find(row), std::string::npos) << row;
}

}  // namespace
}  // namespace mora::report
