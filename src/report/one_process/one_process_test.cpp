#include "report/one_process/one_process.h"

#include <gtest/gtest.h>

#include "support/analysis/efficiency_sample.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CubeSample;
using analysis::EfficiencyRules;
using analysis::Elementary;
using analysis::IntervalTable;
using analysis::ProcessAmounts;
using analysis::ProductiveRule;
using Cause = OneProcessCause;

struct Section {
  std::uint32_t line = 0;
  std::int64_t microseconds = 0;  ///< of each process
  std::uint32_t replication = 1;
  std::int64_t instructions = 0, cycles = 0;  ///< of each process
};

IntervalTable table_of(unsigned processes, const std::vector<Section>& sections, std::int64_t mpi = 0,
                       const EfficiencyRules& rules = {}) {
  CubeSample sample(processes);
  std::vector<cube::CallPathId> intervals;
  for (const Section& s : sections) {
    const auto i = sample.interval(0, s.line, s.replication);
    for (unsigned r = 0; r < processes; ++r) sample.compute(i, r, s.microseconds);
  }
  const auto barrier = sample.call(0, "MPI_Barrier");
  for (unsigned r = 0; r < processes && mpi > 0; ++r) sample.add("barrier", barrier, r, mpi);
  IntervalTable table = interval_table(sample.cube, rules);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (unsigned r = 0; r < processes; ++r) {
      for (const std::size_t interval : {std::size_t{0}, i + 1}) {
        analysis::ProcessList& list = table.intervals[interval].processes;
        const ProcessAmounts p = list[r];
        list.set(r, Elementary::instructions, p.instructions() + sections[i].instructions);
        list.set(r, Elementary::cycles, p.cycles() + sections[i].cycles);
      }
    }
  }
  return table;
}

OneProcessComparison compare(const IntervalTable& run, const IntervalTable& one) {
  return one_process_comparison(run, one, same_paths(run, one));
}

std::vector<Cause> causes(const OneProcessRow& row) {
  std::vector<Cause> all;
  for (const OneProcessFinding& finding : row.findings) all.push_back(finding.cause);
  return all;
}

/// The marked part counts once, and the prediction is right.
TEST(OneProcess, MarkedSequentialPartsCountOnceMt14) {
  const IntervalTable run = table_of(4, {{10, 100, cube::all_processes}, {20, 300}});
  const IntervalTable one = table_of(1, {{10, 100, cube::all_processes}, {20, 1200}});
  const OneProcessComparison comparison = compare(run, one);
  EXPECT_EQ(comparison.why_not, "");
  EXPECT_EQ(comparison.processes, 4u);
  ASSERT_EQ(comparison.rows.size(), 3u);
  const OneProcessRow& program = comparison.rows[0];
  EXPECT_EQ(program.predicted, 1'300'000);
  EXPECT_EQ(program.measured, 1'300'000);
  EXPECT_EQ(program.counted_once, 300'000);
  EXPECT_EQ(program.ratio, 1);
  EXPECT_EQ(program.efficiency, 0.8125);
  EXPECT_EQ(program.efficiency_measured, 0.8125);
  for (const OneProcessRow& row : comparison.rows) EXPECT_EQ(causes(row), std::vector<Cause>{Cause::agrees});
  EXPECT_TRUE(comparison.unmatched.empty());
}

/// Without the marking: 1600 predicted, 1300 measured; 300 = (4 - 1) x 100.
TEST(OneProcess, DuplicationThatIsNotMarked) {
  const IntervalTable run = table_of(4, {{10, 100}, {20, 300}});
  const IntervalTable one = table_of(1, {{10, 100}, {20, 1200}});
  const OneProcessComparison comparison = compare(run, one);
  const OneProcessRow &program = comparison.rows[0], &sequential = comparison.rows[1];
  EXPECT_EQ(program.difference, -300'000);
  EXPECT_EQ(program.own_difference, 0);
  EXPECT_TRUE(program.is_nested);
  EXPECT_EQ(program.efficiency, 1);
  EXPECT_EQ(program.efficiency_measured, 0.8125);
  EXPECT_FALSE(sequential.is_nested);
  ASSERT_EQ(causes(sequential), (std::vector<Cause>{Cause::unmarked_duplication, Cause::unaccounted_overhead}));
  EXPECT_NE(sequential.findings[0].text.find("all 4 processes seem to compute the same"), std::string::npos);
  EXPECT_NE(program.findings[0].text.find("0.0001 s on each of 4 processes"), std::string::npos);
  EXPECT_FALSE(sequential.findings[0].is_certain);
  EXPECT_EQ(causes(comparison.rows[2]), std::vector<Cause>{Cause::agrees});
}

/// A process that computes nothing did not compute the duplicated part.
TEST(OneProcess, DuplicationIsNotSuggestedWhereItCannotBe) {
  IntervalTable run = table_of(2, {{10, 100}});
  run.intervals[1].processes.set(1, Elementary::time, 0);
  const IntervalTable one = table_of(1, {{10, 100}});
  EXPECT_EQ(causes(compare(run, one).rows[1]), std::vector<Cause>{Cause::unaccounted_overhead});
}

TEST(OneProcess, SlowerAloneIsProbablyTheCache) {
  const OneProcessComparison plain = compare(table_of(2, {{10, 50}}), table_of(1, {{10, 120}}));
  ASSERT_EQ(causes(plain.rows[1]), std::vector<Cause>{Cause::cache});
  EXPECT_FALSE(plain.rows[1].findings[0].is_certain);
  EXPECT_EQ(plain.rows[1].findings[0].amount, 20'000);
  EXPECT_DOUBLE_EQ(plain.rows[1].ratio, 1.2);
  EXPECT_DOUBLE_EQ(plain.rows[1].efficiency_measured, 1.2);  // superlinear: that is what was measured

  const OneProcessComparison counted =
      compare(table_of(2, {{10, 50, 1, 500, 1000}}), table_of(1, {{10, 120, 1, 1000, 2400}}));
  ASSERT_EQ(causes(counted.rows[1]), std::vector<Cause>{Cause::cache});
  EXPECT_TRUE(counted.rows[1].findings[0].is_certain);
  EXPECT_NE(counted.rows[1].findings[0].text.find("2.400 cycles per instruction instead of 2.000"), std::string::npos);
}

TEST(OneProcess, CountersTellWorkFromMemoryFromFrequency) {
  const IntervalTable run = table_of(2, {{10, 50, 1, 500, 1000}});
  const auto cause = [&](std::int64_t time, std::int64_t instructions, std::int64_t cycles) {
    return causes(compare(run, table_of(1, {{10, time, 1, instructions, cycles}})).rows[1]);
  };
  EXPECT_EQ(cause(120, 1200, 2400), std::vector<Cause>{Cause::more_work});
  EXPECT_EQ(cause(150, 1200, 3600), (std::vector<Cause>{Cause::more_work, Cause::cache}));
  EXPECT_EQ(cause(120, 1000, 2000), std::vector<Cause>{Cause::frequency});
  EXPECT_EQ(cause(80, 1000, 2000), std::vector<Cause>{Cause::frequency});
  EXPECT_EQ(cause(80, 1000, 1600), std::vector<Cause>{Cause::contention});
  // Fewer instructions alone: something was done twice, or only because of the parallel execution.
  EXPECT_EQ(cause(80, 800, 1600), (std::vector<Cause>{Cause::unmarked_duplication, Cause::unaccounted_overhead}));
}

/// MPI time is productive neither before nor after; where the rules count that of one process, it counts in both.
TEST(OneProcess, MpiCallsOfTheOneProcessRun) {
  const OneProcessComparison comparison = compare(table_of(2, {{10, 50}}, 30), table_of(1, {{10, 100}}, 90));
  const OneProcessRow& program = comparison.rows[0];
  EXPECT_EQ(program.predicted, 100'000);
  EXPECT_EQ(program.measured, 100'000);
  EXPECT_EQ(program.measured_mpi, 90'000);
  EXPECT_EQ(program.counted_mpi, 0);
  EXPECT_EQ(causes(program), std::vector<Cause>{Cause::agrees});
  EXPECT_DOUBLE_EQ(program.efficiency_measured, 100.0 / 160);

  EfficiencyRules rules;
  rules.productive = ProductiveRule::one_mpi;
  const OneProcessComparison counted = compare(table_of(2, {{10, 50}}, 30, rules), table_of(1, {{10, 100}}, 90, rules));
  EXPECT_EQ(counted.rows[0].predicted, 130'000);
  EXPECT_EQ(counted.rows[0].measured, 190'000);
  ASSERT_EQ(causes(counted.rows[0]), std::vector<Cause>{Cause::mpi_calls});
  EXPECT_EQ(counted.rows[0].findings[0].amount, 60'000);
}

/// The program agrees only because one interval is slower alone and the other faster.
TEST(OneProcess, DifferencesThatCancel) {
  const OneProcessComparison comparison =
      compare(table_of(2, {{10, 50}, {20, 50}}), table_of(1, {{10, 150}, {20, 50}}));
  EXPECT_EQ(causes(comparison.rows[0]), (std::vector<Cause>{Cause::agrees, Cause::compensated}));
  EXPECT_EQ(causes(comparison.rows[1]), std::vector<Cause>{Cause::cache});
}

/// In a marked sequential part one process has no more data than each of several.
TEST(OneProcess, SequentialPartThatIsSlowerAlone) {
  const OneProcessComparison comparison =
      compare(table_of(4, {{10, 100, cube::all_processes}}), table_of(1, {{10, 120, cube::all_processes}}));
  EXPECT_EQ(causes(comparison.rows[1]), std::vector<Cause>{Cause::unexplained});
}

/// Measured times scatter: (4 x 1007 - 1005) / 3 is more than the 1007 that a process computed.
TEST(OneProcess, DuplicationWithScatter) {
  const OneProcessComparison comparison = compare(table_of(4, {{10, 1007}}), table_of(1, {{10, 1005}}));
  EXPECT_EQ(causes(comparison.rows[1]).front(), Cause::unmarked_duplication);
}

TEST(OneProcess, ToleranceIsTheCallers) {
  const IntervalTable run = table_of(2, {{10, 50}}), one = table_of(1, {{10, 104}});
  EXPECT_EQ(causes(compare(run, one).rows[1]), std::vector<Cause>{Cause::agrees});
  EXPECT_EQ(causes(one_process_comparison(run, one, same_paths(run, one), 0.01).rows[1]),
            std::vector<Cause>{Cause::cache});
}

TEST(OneProcess, OtherNumbersOfExecutionsAreNotTheSameWork) {
  IntervalTable run = table_of(2, {{10, 50}});
  run.intervals[1].executions = 3;
  const OneProcessComparison comparison = compare(run, table_of(1, {{10, 30}}));
  EXPECT_EQ(causes(comparison.rows[1]).front(), Cause::not_comparable);
}

/// 400 predicted: 300 of them in an interval that the one-process run lacks. That is the cause, not duplication.
TEST(OneProcess, IntervalsThatOneRunLacksAreTheFirstCause) {
  const OneProcessComparison comparison =
      compare(table_of(2, {{10, 50}, {20, 150}}), table_of(1, {{10, 100}, {30, 90}}));
  const OneProcessRow& program = comparison.rows[0];
  EXPECT_EQ(program.difference, -210'000);
  EXPECT_EQ(program.missing_difference, -300'000 + 90'000);
  EXPECT_EQ(program.own_difference, 0);
  EXPECT_TRUE(program.is_nested);
  ASSERT_EQ(causes(program), (std::vector<Cause>{Cause::missing, Cause::missing}));
  EXPECT_EQ(program.findings[0].amount, -300'000);
  EXPECT_EQ(program.findings[0].missing, 2u);
  EXPECT_TRUE(program.findings[0].is_certain);
  EXPECT_EQ(program.findings[0].text, "0.2 interval (a.c:20) is only in the parallel run: -0.0003 s of the difference");
  EXPECT_EQ(program.findings[1].text,
            "0.2 interval (a.c:30) is only in the one-process run: 0.00009 s of the difference");
  EXPECT_EQ(causes(comparison.rows[1]), std::vector<Cause>{Cause::agrees});
}

/// One process has no more data than one process.
TEST(OneProcess, OfOneProcessTheCachesAreNoCause) {
  IntervalTable run = table_of(2, {{10, 100}, {20, 500}});
  run.intervals[1].processes = table_of(1, {{10, 100}}).intervals[1].processes;
  run.intervals[1].sum[static_cast<std::size_t>(Characteristic::productive_time)] = 100'000;
  const auto row = [&](std::int64_t time) { return compare(run, table_of(1, {{10, time}, {20, 1000}})).rows[1]; };
  ASSERT_EQ(causes(row(140)), std::vector<Cause>{Cause::unexplained});
  ASSERT_EQ(causes(row(60)), std::vector<Cause>{Cause::unexplained});
  EXPECT_EQ(row(140).findings[0].text.find("1 times"), std::string::npos);
}

/// 2 us of 2 ms are 0.1 %.
TEST(OneProcess, SmallDifferencesAreNotExplained) {
  const IntervalTable run = table_of(2, {{10, 1}, {20, 999}});
  const auto causes_of = [&](std::int64_t time) {
    return causes(compare(run, table_of(1, {{10, time}, {20, 2000 - time}})).rows[1]);
  };
  EXPECT_EQ(causes_of(4), std::vector<Cause>{Cause::negligible});
  EXPECT_EQ(causes_of(5), std::vector<Cause>{Cause::cache});
}

TEST(OneProcess, DifferentPrograms) {
  CubeSample first(2), second(1);
  first.call(0, "MPI_Barrier"), second.call(0, "MPI_Barrier");
  EXPECT_EQ(different_programs(first.cube, second.cube), "");
  second.cube.call_paths[0].name = "other";
  EXPECT_EQ(different_programs(first.cube, second.cube), "");  // the same call site: renamed
  second.cube.call_paths[1].line = 99;
  EXPECT_EQ(different_programs(first.cube, second.cube), "");  // renamed and edited
  second.cube.call_paths[1].file = "/src/b.c";
  EXPECT_EQ(different_programs(first.cube, second.cube),
            "different programs: app and other have no source file in common");
  second.cube.call_paths[1].file = "";
  EXPECT_EQ(different_programs(first.cube, second.cube), "");  // nothing is known
}

TEST(OneProcess, UnmatchedIntervalsAndWrongRuns) {
  const IntervalTable run = table_of(2, {{10, 50}, {20, 60}}), one = table_of(1, {{20, 120}, {30, 1}});
  const OneProcessComparison comparison = compare(run, one);
  ASSERT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(comparison.unmatched, std::vector<std::size_t>{1});
  EXPECT_EQ(comparison.unmatched_measured, std::vector<std::size_t>{2});
  EXPECT_NE(compare(run, run).why_not.find("this one has 2"), std::string::npos);
  EXPECT_FALSE(compare(run, IntervalTable{}).why_not.empty());
}

}  // namespace
}  // namespace mora::report
