#include "report/intervals/why/why.h"

#include <gtest/gtest.h>

#include "support/report/two_processes.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CubeSample;
using analysis::IntervalTable;

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

TEST(Operands, SumToTheNumberUnderAllRules) {
  const CubeSample s = two_processes();
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
  const CubeSample s = two_processes();
  const IntervalTable table = analysis::interval_table(s.cube);
  using enum Characteristic;
  for (const Characteristic c :
       {time_outside_mpi, mpi_time, communication, point_to_point, measurement, idle_time, load_imbalance,
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
  const IntervalTable table = analysis::interval_table(two_processes().cube);
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

TEST(WhyText, SaysThatTheTraceIsGone) {
  const CubeSample s = two_processes();
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

}  // namespace
}  // namespace mora::report
