#include "report/intervals/interval_report.h"

#include <gtest/gtest.h>

#include "report/intervals/quality_notes.h"
#include "report/intervals/seconds_format.h"
#include "support/analysis/efficiency_sample.h"
#include "support/report/two_processes.h"

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

TEST(ShownIntervals, ByLevelAndByIntervalWithWhatIsInIt) {
  const IntervalTable table = analysis::interval_table(two_processes().cube);
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

TEST(Rules, OlderNameOfTheDvmAnalysersIsAcceptedAndNotListed) {
  const auto rules = analysis::parse_rules("dvm-analyser", nullptr), older = analysis::parse_rules("thesis", nullptr);
  ASSERT_TRUE(rules && older);
  EXPECT_EQ(analysis::names(*rules), analysis::names(*older));
  std::string why;
  EXPECT_FALSE(analysis::parse_rules("thesi", &why));
  EXPECT_EQ(why.find("thesis"), std::string::npos) << why;
  EXPECT_NE(why.find("dvm-analyser"), std::string::npos) << why;
}

TEST(QualityNotes, StandWithTheIntervalsOfTheRankConcerned) {
  CubeSample s = two_processes();
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

TEST(IntervalsCsv, QuotesAndCounts) {
  CubeSample s(1);
  s.cube.call_paths[0].name = "a,\"b\"";
  s.compute(0, 0, 3);
  const std::string csv = intervals_csv(analysis::interval_table(s.cube), {});
  EXPECT_NE(csv.find("0,,0,0,0,\"a,\"\"b\"\"\",0,time_outside_mpi,0.000003\n"), std::string::npos) << csv;
}

TEST(IntervalsCsv, HasRulesExtremesKindsAndNotes) {
  IntervalTable table = analysis::interval_table(two_processes().cube);
  table.intervals[0].notes = {"recorded, half"};
  IntervalReportOptions options;
  options.left_out = {{"a.c:9", 1}};
  const std::string csv = intervals_csv(table, options);
  // The receive of rank 0 takes 4, of rank 1 9 of waiting; rank 0 computes 67, rank 1 68: mean 67.5.
  for (const char* row :
       {",,,,,,,rule/load,computation\n", ",,,,,,,without_id,a.c:9#1\n",
        "0,/src/a.c,7,0,0,app,,note,\"recorded, half\"\n", "0,/src/a.c,7,0,0,app,,time_outside_mpi/min,0.000067\n",
        "0,/src/a.c,7,0,0,app,,time_outside_mpi/min_rank,0\n", "0,/src/a.c,7,0,0,app,,time_outside_mpi/max,0.000068\n",
        "0,/src/a.c,7,0,0,app,,time_outside_mpi/max_rank,1\n",
        "0,/src/a.c,7,0,0,app,,time_outside_mpi/mean,0.0000675\n", "0,/src/a.c,7,0,0,app,,MPI_Recv/count,2\n",
        "0,/src/a.c,7,0,0,app,,MPI_Recv/communication,0.000013\n",
        "0,/src/a.c,7,0,0,app,1,MPI_Recv/real_synchronization,0.000009\n"})
    EXPECT_NE(csv.find(row), std::string::npos) << row;
}

}  // namespace
}  // namespace mora::report
