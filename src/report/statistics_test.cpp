#include "report/findings/statistics.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/data/figures.h"
#include "report/findings/findings.h"
#include "report/report.h"
#include "support/report/report_sample.h"

namespace mora::report {
namespace {

/// The sample, with the statistics that its late sender would have.
analysis::AnalysisResult sample_with_statistics() {
  analysis::AnalysisResult result = sample::result();
  analysis::WaitSummary& late = result.waits[0];
  late.statistics = {11, late.total, 7, 100, 2'000'000, 200'000'000, 520'000'000};
  late.most_severe = {late.worst, {0, 100, 2, cube::no_id, cube::no_id, 3}};
  late.caused_by_calls = {{0, 2, 2'300'000'001}, {1, cube::no_id, 7}};
  result.wait_metrics = {{late.metric, late.statistics, late.most_severe}};
  result.wait_metrics[0].most_severe[0].call_path = 3;
  return result;
}

TEST(Statistics, FindingsAndMetricsCarryThem) {
  const ReportData data = build_report(sample_with_statistics(), sample::infos());
  EXPECT_EQ(data.findings[0].statistics.median, 2'000'000);
  ASSERT_EQ(data.findings[0].most_severe.size(), 2u);
  EXPECT_EQ(data.findings[0].most_severe[0].rank, 1u);
  ASSERT_EQ(data.findings[0].cause_calls.size(), 2u);
  EXPECT_EQ(data.findings[0].cause_calls[0].call_path.back(), "MPI_Send@ring.c:37");
  EXPECT_EQ(data.findings[0].cause_calls[0].call_site.line, 37u);
  EXPECT_TRUE(data.findings[0].cause_calls[1].call_path.empty());
  EXPECT_EQ(data.find_metric("late-sender")->statistics.count, 11u);
  EXPECT_EQ(data.find_metric("late-sender")->most_severe[0].call_path.back(), "MPI_Recv@ring.c:42");
  EXPECT_EQ(data.find_metric("mpi")->statistics.count, 0u);
}

TEST(Statistics, SurviveFindingsJson) {
  const ReportData data = build_report(sample_with_statistics(), sample::infos());
  const auto again = read_findings(findings_json(data), "x");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(findings_json(*again), findings_json(data));
  EXPECT_EQ(again->findings[0].statistics, data.findings[0].statistics);
  EXPECT_EQ(again->find_metric("late-sender")->most_severe.size(), 2u);
  EXPECT_EQ(statistics_json(*again), statistics_json(data));
}

TEST(Statistics, TextShowsTheTableAndTheWorst) {
  const ReportData data = build_report(sample_with_statistics(), sample::infos());
  const std::string text = statistics_text(data, {});
  EXPECT_NE(text.find("       11  2.300 s     7 ns   100 ns     2 ms   200 ms   520 ms  Late Sender\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  520 ms at t = 3.107 s  rank 1 in MPI_Recv@ring.c:42 for rank 0 in MPI_Send@ring.c:37\n"),
            std::string::npos)
      << text;
  std::istringstream lines(statistics_text(data, {80, 10, false}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_NE(text_report(data, nullptr, {}).find("@--- WAIT STATISTICS"), std::string::npos);
}

TEST(Statistics, CsvHasARowPerWaitStateAndFinding) {
  const std::string csv = statistics_csv(build_report(sample_with_statistics(), sample::infos()));
  EXPECT_EQ(csv,
            "metric,call_path,count,sum,min,q1,median,q3,max,mean\n"
            "late-sender,,11,2.300000008,0.000000007,0.0000001,0.002,0.2,0.52,0.209090909\n"
            "late-sender,ring > main > MPI_Recv@ring.c:42,11,2.300000008,0.000000007,0.0000001,0.002,0.2,0.52,"
            "0.209090909\n");
}

/// The sample with delay costs and a critical path.
analysis::AnalysisResult sample_with_causes() {
  analysis::AnalysisResult result = sample::result();
  cube::Cube& cube = result.cube;
  const auto metric = [&](const char* id, const char* name, const char* parent) {
    cube.metrics.push_back(
        {id, name, id, *parent == 0 ? cube::no_id : cube.find_metric(parent), cube::Unit::seconds, ""});
  };
  metric("delay-costs", "Delay costs", "");
  metric("delay-costs-late-sender", "Late Sender delay costs", "delay-costs");
  metric("critical-path", "Critical path", "");
  metric("critical-path-imbalance", "Critical-path imbalance", "critical-path");
  for (const char* id : {"delay-costs", "delay-costs-late-sender"}) cube.add(cube.find_metric(id), 5, 0, 2'000'000'000);
  cube.add(cube.find_metric("critical-path"), 1, 0, 4'000'000'000);
  cube.add(cube.find_metric("critical-path"), 5, 0, 1'000'000'000);
  cube.add(cube.find_metric("critical-path-imbalance"), 5, 0, 500'000'000);
  return result;
}

TEST(Causes, TheSectionShowsDelayCostsAndTheCriticalPath) {
  const analysis::AnalysisResult result = sample_with_causes();
  const ReportData data = build_report(result, sample::infos());
  const std::string text = text_report(data, &result.cube, {});
  EXPECT_NE(text.find("@--- CAUSES"), std::string::npos);
  EXPECT_NE(text.find("2.000 s of waiting was caused by delays."), std::string::npos) << text;
  EXPECT_NE(text.find("      2.000000  100.00 %  main > compute MPI_Recv@ring.c:42 -> MPI_Barrier@ring.c:50\n"),
            std::string::npos);
  EXPECT_NE(text.find("By rank: rank 0 2.000 s\n"), std::string::npos);
  EXPECT_NE(text.find("By kind: Late Sender delay costs 2.000 s\n"), std::string::npos);
  EXPECT_NE(text.find("The critical path is 5.000 s long."), std::string::npos);
  EXPECT_NE(text.find("      1.000000   20.00 %       0.500000  main > compute MPI_"), std::string::npos) << text;
}

TEST(Causes, WithoutSuchMetricsThereIsNoSection) {
  const analysis::AnalysisResult result = sample::result();
  EXPECT_EQ(text_report(build_report(result, {}), &result.cube, {}).find("CAUSES"), std::string::npos);
}

TEST(Findings, NameTheCallsWaitedForWhenThereAreSeveral) {
  const std::string text = text_report(build_report(sample_with_statistics(), {}), nullptr, {});
  EXPECT_NE(text.find("      for rank 0 in MPI_Send@ring.c:37 2.300 s, rank 1 7 ns\n"), std::string::npos) << text;
}

TEST(Findings, AreListedWithTheirParts) {
  analysis::AnalysisResult result = sample::result();
  result.cube.metrics.push_back({"late-sender-wrong-order", "Wrong Order", "wrong_order",
                                 result.cube.find_metric("late-sender"), cube::Unit::seconds, ""});
  analysis::WaitSummary part = result.waits[0];
  part.metric = result.cube.find_metric("late-sender-wrong-order");
  part.total = 1'000'000'000;
  part.instances = 2;
  result.waits.push_back(part);
  const std::string text = text_report(build_report(result, {}), nullptr, {});
  EXPECT_NE(text.find("part: f2 Wrong Order 1.000 s (2 times)"), std::string::npos) << text;
  EXPECT_EQ(text.find("#f2"), std::string::npos) << text;
  EXPECT_NE(text.find("Late Sender (11 times)"), std::string::npos) << text;
}

TEST(Findings, SayWhatTheCauseDid) {
  using analysis::CauseDid;
  const auto what = [](CauseDid did) {
    std::string ids;
    for (const analysis::MetricInfo& info : analysis::all_metrics())
      if (info.cause == did) ids += (ids.empty() ? "" : " ") + std::string(info.id);
    return ids;
  };
  EXPECT_EQ(what(CauseDid::held_lock),
            "lock-contention lock-all-contention late-unlock lock-contention-comm late-unlock-comm "
            "omp-critical-contention omp-lock-contention pthread-mutex-contention pthread-condition-contention "
            "shmem-lock-contention");
  EXPECT_EQ(
      what(CauseDid::came_for_progress),
      "wait-for-progress flush-wait send-progress nonblocking-progress wait-for-progress-comm request-completion");
  EXPECT_EQ(what(CauseDid::stayed), "early-fence");
  EXPECT_EQ(what(CauseDid::worked), "omp-idle-threads omp-limited-parallelism");
}

TEST(Damage, IsToldInOurWords) {
  const auto why = [](const std::string& json) { return read_findings(json, "x").error().why; };
  EXPECT_EQ(why(""), "the file is empty");
  EXPECT_EQ(why("{\"schema\": "), "the file ends too early");
  EXPECT_EQ(why("{\"schema\": oops}"), "it is not JSON from byte 12 on");
  EXPECT_EQ(why("{\"schema\": \"mora-report\"}"), "the field \"schema_version\" is missing");
  EXPECT_EQ(why("{\"schema\": 7}"), "a field has a value of another type than findings.json has there");
}

}  // namespace
}  // namespace mora::report
