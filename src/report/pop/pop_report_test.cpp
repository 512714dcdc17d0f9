#include <gtest/gtest.h>

#include "report/pop/efficiency_figures.h"
#include "report/pop/pop_json.h"
#include "report/pop/pop_text.h"
#include "support/analysis/efficiency_sample.h"

namespace mora::report {
namespace {

using analysis::CubeSample;
using analysis::IntervalTable;
using analysis::PopMetrics;

/// A late sender: the receiver waits 30 of its 45 us in MPI_Recv.
CubeSample late_sender_sample() {
  CubeSample sample(2);
  const auto send = sample.call(0, "MPI_Send"), receive = sample.call(0, "MPI_Recv");
  sample.compute(0, 0, 90), sample.compute(0, 1, 55);
  sample.add("point-to-point", send, 0, 10), sample.add("point-to-point", receive, 1, 15);
  sample.add("late-sender", receive, 1, 30);
  return sample;
}

PopMetrics pop_of(const CubeSample& sample) {
  return analysis::pop_metrics(sample.cube, analysis::interval_table(sample.cube), 0);
}

/// Every process computes and synchronises so long, in us.
PopMetrics run_of(unsigned processes, std::int64_t computation, std::int64_t mpi) {
  CubeSample sample(processes);
  const auto barrier = sample.call(0, "MPI_Barrier");
  for (unsigned r = 0; r < processes; ++r) sample.compute(0, r, computation), sample.add("barrier", barrier, r, mpi);
  return pop_of(sample);
}

::testing::AssertionResult has_line(const std::string& text, const std::string& line) {
  if (("\n" + text).find("\n" + line + "\n") != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no line \"" << line << "\" in\n" << text;
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string json_of(const PopMetrics& pop) {
  JsonWriter json;
  json.begin_object();
  pop_fields(json, pop);
  json.end_object();
  return json.str();
}

TEST(PopReport, EfficienciesAreNeverRoundedToWhatTheyAreNot) {
  EXPECT_EQ(efficiency_text(0.725), "72.50 %");
  EXPECT_EQ(efficiency_text(1), "100.00 %");
  EXPECT_EQ(efficiency_text(0.999999), "99.99 %");
  EXPECT_EQ(efficiency_text(1.000001), "100.01 %");
  EXPECT_EQ(efficiency_text(0), "0.00 %");
  EXPECT_EQ(efficiency_text(0.000001), "<0.01 %");
}

TEST(PopReport, BelowTheThresholdIsMarked) {
  EXPECT_EQ(efficiency_cell(0.799, false).shown(), "79.90 % !");
  EXPECT_EQ(efficiency_cell(0.8, false).shown(), "80.00 %  ");
  EXPECT_EQ(efficiency_cell(0.799, true).shown(), "79.90 %  ");
  EXPECT_STREQ(efficiency_cell(0.799, true).style(), "31");
  EXPECT_EQ(efficiency_cell(std::nullopt, false).shown(), "-  ");
}

TEST(PopReport, TreeNamesItsDefinitions) {
  const CubeSample sample = late_sender_sample();
  const std::string text = pop_text(pop_of(sample), "program app", {});
  EXPECT_TRUE(has_line(text, "Parallel efficiency                72.50 % !   72.50 % !  mean(useful) / T"));
  EXPECT_TRUE(has_line(text, "  Load balance                     80.56 %     82.50 %    mean(useful) / max(useful)"));
  EXPECT_TRUE(has_line(
      text, "    Transfer                       90.00 %     90.00 %    by Cube Advisor, one-sided waits included"));
  EXPECT_TRUE(has_line(
      text, "  basicanalysis, replayed                 not known: the result has no replay on the ideal network"));
  EXPECT_TRUE(has_line(text, "* Cube Advisor, one-sided waits included        0.000090   100.00 %     90.00 %"));
  EXPECT_TRUE(has_line(text, "Run time T                              0.000100 s  of the process that takes longest"));
  EXPECT_TRUE(contains(text, "T_ideal = max(execution"));
  EXPECT_FALSE(contains(text, " \n"));
  EXPECT_FALSE(contains(text, "\033"));
  EXPECT_FALSE(contains(text, "Thread level"));
}

/// Nanoseconds anywhere: nine decimals everywhere. With a replay all four definitions stand there, and the replay's is
/// the headline.
TEST(PopReport, ReplayAndThreads) {
  CubeSample sample = late_sender_sample();
  const auto worker = sample.thread(0, 1);
  sample.add("visits", 0, worker, 1), sample.compute(0, worker, 31), sample.add("omp-idle-threads", 0, worker, 69);
  IntervalTable table = analysis::interval_table(sample.cube);
  table.is_replayed = true;
  table.intervals[0].processes.set(0, analysis::Elementary::ideal, 90'123),
      table.intervals[0].processes.set(1, analysis::Elementary::ideal, 85'000);
  const PopMetrics pop = analysis::pop_metrics(sample.cube, table, 0);
  const std::string text = pop_text(pop, "program app", {});
  EXPECT_TRUE(has_line(text, "* basicanalysis, replayed                    0.000090123    99.86 %     90.12 %"));
  EXPECT_TRUE(has_line(text, "Run time T                           0.000100000 s  of the process that takes longest"));
  EXPECT_TRUE(contains(text, "3 threads of 2 processes"));
  EXPECT_TRUE(has_line(
      text, "  Thread level                     80.92 %     86.17 %    mean over threads(useful) / mean(outside MPI)"));
  const std::string json = json_of(pop);
  EXPECT_TRUE(contains(json, "\"definition\": \"replay\""));
  EXPECT_TRUE(contains(json, "\"ideal_time_s\": 0.000090123"));
  EXPECT_TRUE(contains(json, "\"thread_efficiency\": 0.809195402"));
}

TEST(PopReport, JsonSaysWhatIsNotKnown) {
  const std::string json = json_of(pop_of(late_sender_sample()));
  EXPECT_TRUE(contains(json, "\"parallel_efficiency\": 0.725"));
  EXPECT_TRUE(contains(json, "\"definition\": \"advisor\""));
  EXPECT_TRUE(contains(json, "\"why_not\": \"the result has no replay on the ideal network\""));
  EXPECT_TRUE(contains(json, "\"load_balance\": 0.805555556"));
  EXPECT_TRUE(contains(json, "\"threads\": null"));
  EXPECT_TRUE(contains(json, "\"instructions\": null"));
}

/// Strong: 400 + 0, 200 + 100, 100 + 150 us: run time 400, 300, 250.
TEST(PopReport, ScalingTable) {
  const std::vector<analysis::ScalingRun> runs = {
      {"runs/mora-app-2", run_of(2, 400, 0)}, {"4", run_of(4, 200, 100)}, {"mora-a-long-name-8", run_of(8, 100, 150)}};
  const std::string text = scaling_text(scaling_table(runs, analysis::Scaling::strong, {16, 64}), "program app", {});
  EXPECT_TRUE(has_line(text, "                                       mora-app-2             4    mor…g-name-8"));
  EXPECT_TRUE(has_line(text, "Processes                                       2             4             8"));
  EXPECT_TRUE(has_line(text, "Global efficiency                        100.00 %       66.67 % !     40.00 % !"));
  EXPECT_TRUE(has_line(text, "      Transfer                           100.00 %       66.67 % !     40.00 % !"));
  EXPECT_TRUE(has_line(text, "Speed-up                                     1.00          1.33          1.60"));
  EXPECT_TRUE(has_line(text, "Run time                                   400 us        300 us        250 us"));
  // 1/y = 1, 1.5, 2.5 is 0.5 + 0.25 P: x0 = 1 / 0.75, f = 2/3; 4.5 at 16 processes.
  EXPECT_TRUE(
      has_line(text, "Transfer                  1.3333 / (0.666667 + 0.333333 P)              0.00 %        0.00 %"));
  EXPECT_TRUE(contains(text, "\n16 processes "));
  EXPECT_TRUE(contains(text, "\nParallel efficiency              22.22 %   22.22 % … 22.22 %\n"));
  EXPECT_TRUE(contains(text, "\n64 processes (far) "));
  EXPECT_TRUE(contains(text, "far: more than 4 times"));
  const std::string two =
      scaling_text(scaling_table({runs[0], runs[1]}, analysis::Scaling::strong, {16}), "program app", {});
  EXPECT_TRUE(contains(two, "none: 2 different numbers of processes"));
  EXPECT_TRUE(contains(scaling_text({}, "program app", {}), "no runs"));
}

TEST(PopReport, ScalingJson) {
  JsonWriter json;
  write_json(json, scaling_table({{"a", run_of(2, 400, 0)}, {"b", run_of(4, 400, 100)}}, analysis::Scaling::weak, {8}));
  EXPECT_TRUE(contains(json.str(), "\"scaling\": \"weak\""));
  EXPECT_TRUE(
      contains(json.str(), "\"metric\": \"run_time_s\",\n      \"depth\": 0,\n      \"values\": [0.0004, 0.0005]"));
  EXPECT_TRUE(contains(json.str(), "\"why_not\": \"2 different numbers"));
  EXPECT_TRUE(contains(json.str(), "\"factors\": []"));
}

/// Duplicated computation that is not marked.
TEST(PopReport, OneProcessComparison) {
  CubeSample many(4), alone(1);
  const auto first = many.interval(0, 10), second = many.interval(0, 20);
  for (unsigned r = 0; r < 4; ++r) many.compute(first, r, 100), many.compute(second, r, 300);
  alone.compute(alone.interval(0, 10), 0, 100), alone.compute(alone.interval(0, 20), 0, 1200);
  const IntervalTable run = analysis::interval_table(many.cube), one = analysis::interval_table(alone.cube);
  const auto comparison = one_process_comparison(run, one, same_paths(run, one));
  const std::string text = one_process_text(comparison, run, one, {});
  EXPECT_TRUE(has_line(text, "  Predicted           0.001600 s"));
  EXPECT_TRUE(has_line(text, "  Measured            0.001300 s"));
  EXPECT_TRUE(has_line(
      text, "  Difference         -0.000300 s  measured / predicted = 0.8125, 0.000000 s without nested intervals"));
  EXPECT_TRUE(has_line(text, "  Efficiency          100.00 %    -> 81.25 %  with the measured time"));
  EXPECT_TRUE(has_line(text, "  the difference is in nested intervals"));
  EXPECT_TRUE(contains(
      text, "\n  ? the prediction is 4 times the measurement: all 4 processes seem to compute the same there"));
  EXPECT_TRUE(has_line(text, "  - prediction and measurement agree within 5.0 %"));
  EXPECT_TRUE(contains(text, "predicted = productive time, by the definition productive=cpu"));
  JsonWriter json;
  one_process_json(json, comparison, run, one);
  EXPECT_TRUE(contains(json.str(), "\"cause\": \"unmarked-duplication\",\n          \"amount_s\": 0.0003"));
  EXPECT_TRUE(contains(json.str(), "\"efficiency_measured\": 0.8125"));
  EXPECT_TRUE(contains(one_process_text(one_process_comparison(run, run, {}), run, run, {}), "this one has 4"));
}

/// An interval that a finding names is not listed again; small ones are.
TEST(PopReport, MissingIntervalsAreCauses) {
  CubeSample many(2), alone(1);
  const auto same = many.interval(0, 10), large = many.interval(0, 20), small = many.interval(0, 30);
  for (unsigned r = 0; r < 2; ++r) many.compute(same, r, 1000), many.compute(large, r, 500), many.compute(small, r, 1);
  alone.compute(alone.interval(0, 10), 0, 2000);
  const IntervalTable run = analysis::interval_table(many.cube), one = analysis::interval_table(alone.cube);
  const auto comparison = one_process_comparison(run, one, same_paths(run, one));
  const std::string text = one_process_text(comparison, run, one, {});
  EXPECT_TRUE(has_line(text, "  - 0.2 interval (a.c:20) is only in the parallel run: -0.001 s of the difference"));
  EXPECT_FALSE(contains(text, "not in the one-process run: 0.2"));
  EXPECT_TRUE(contains(text, "not in the one-process run: 0.3"));
  JsonWriter json;
  one_process_json(json, comparison, run, one);
  EXPECT_TRUE(contains(json.str(), "\"missing_difference_s\": -0.001002"));
  EXPECT_TRUE(contains(json.str(), "\"cause\": \"missing\",\n          \"amount_s\": -0.001"));
}

TEST(PopReport, OneThreadOfOneProcess) {
  CubeSample sample(1);
  sample.compute(0, 0, 50);
  const auto worker = sample.thread(0, 1);
  sample.add("visits", 0, worker, 1), sample.compute(0, worker, 30);
  EXPECT_TRUE(contains(pop_text(pop_of(sample), "program app", {}), "2 threads of 1 process\n"));
}

}  // namespace
}  // namespace mora::report
