/// What single waits add up to, whatever the partitions.
#include "analysis/core/scores.h"

#include <gtest/gtest.h>

#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

/// Rank 0 sends `messages` messages to each of ranks 1 to 5; the m-th waits of rank r are r + m % 7.
std::string many_late_senders(int messages) {
  std::string text;
  for (int m = 0; m < messages; ++m) {
    for (int r = 1; r <= 5; ++r) {
      const int receive = 200 * m + 20 * r, send = receive + r + m % 7;
      text += "P" + std::to_string(r) + " " + std::to_string(receive) + "-" + std::to_string(send + 4) + " MPI_Recv@" +
              (m % 2 == 0 ? "even" : "odd") + ".c:1 from 0\n";
      text += "P0 " + std::to_string(send) + "-" + std::to_string(send + 2) +
              " MPI_Send@s.c:" + std::to_string(m % 20 + 1) + " to " + std::to_string(r) + "\n";
    }
  }
  return text;
}

std::string described(const WorstInstance& i) {
  return std::to_string(i.begin) + "-" + std::to_string(i.end) + " at " + std::to_string(i.location) + " for " +
         std::to_string(i.cause);
}

const MetricWaits* find_waits(const AnalysisResult& result, const char* metric) {
  for (const MetricWaits& waits : result.wait_metrics) {
    if (waits.metric == metric_index(metric)) return &waits;
  }
  return nullptr;
}

TEST(Scores, StatisticsOfAWaitStateAndOfItsCallPaths) {
  // Waits of 1, 2, 3 (even.c) and 1, 2 (odd.c) ns and so on: rank r waits r + m % 7 in message m.
  const AnalysisResult result = analyse_text(many_late_senders(3)).result;
  const MetricWaits* all = find_waits(result, "late-sender");
  ASSERT_NE(all, nullptr);
  // m = 0: 1 2 3 4 5; m = 1: 2 3 4 5 6; m = 2: 3 4 5 6 7. Sorted: 1 2 2 3 3 3 4 4 4 5 5 5 6 6 7.
  EXPECT_EQ(all->statistics, (WaitStatistics{15, 60, 1, 3, 4, 5, 7}));
  ASSERT_EQ(all->most_severe.size(), instances_listed);
  EXPECT_EQ(described(all->most_severe[0]), "480-487 at 5 for 0");  // times count from the first event, at 20
  EXPECT_EQ(described(all->most_severe[1]), "280-286 at 5 for 0");  // equally long: the earlier one first
  EXPECT_EQ(described(all->most_severe[2]), "460-466 at 4 for 0");
  ASSERT_EQ(result.waits.size(), 2u);
  EXPECT_EQ(result.waits[0].statistics, (WaitStatistics{10, 40, 1, 3, 4, 5, 7}));
  EXPECT_EQ(result.waits[1].statistics, (WaitStatistics{5, 20, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result.waits[1].most_severe.size(), 5u);
}

TEST(Scores, CausesAreNamedByCall) {
  const AnalysisResult result = analyse_text(many_late_senders(41)).result;
  const WaitSummary& even = result.waits[0];
  ASSERT_EQ(even.caused_by_calls.size(), 10u);  // 20 sends, every other one for even.c
  Nanoseconds sum = 0;
  for (const CausedWaiting& cause : even.caused_by_calls) {
    EXPECT_EQ(cause.location, 0u);
    EXPECT_EQ(result.cube.call_paths[cause.call_path].name, "MPI_Send");
    sum += cause.amount;
  }
  EXPECT_EQ(sum, even.total);
  EXPECT_GE(even.caused_by_calls[0].amount, even.caused_by_calls[1].amount);
  EXPECT_EQ(even.caused_by.size(), 1u);
  EXPECT_EQ(even.caused_by[0].second, even.total);
}

TEST(Scores, TheSameForEveryNumberOfPartitions) {
  const std::string text = many_late_senders(100);
  const AnalysisResult one = analyse_text(text, 1).result;
  for (const unsigned partitions : {2u, 3u, 5u}) {
    const AnalysisResult many = analyse_text(text, partitions).result;
    ASSERT_EQ(many.waits.size(), one.waits.size());
    for (std::size_t w = 0; w < one.waits.size(); ++w) {
      EXPECT_EQ(many.waits[w].statistics, one.waits[w].statistics);
      ASSERT_EQ(many.waits[w].most_severe.size(), one.waits[w].most_severe.size());
      for (std::size_t i = 0; i < one.waits[w].most_severe.size(); ++i) {
        EXPECT_EQ(described(many.waits[w].most_severe[i]), described(one.waits[w].most_severe[i]));
      }
      ASSERT_EQ(many.waits[w].caused_by_calls.size(), one.waits[w].caused_by_calls.size());
      for (std::size_t i = 0; i < one.waits[w].caused_by_calls.size(); ++i) {
        EXPECT_EQ(many.waits[w].caused_by_calls[i].call_path, one.waits[w].caused_by_calls[i].call_path);
        EXPECT_EQ(many.waits[w].caused_by_calls[i].amount, one.waits[w].caused_by_calls[i].amount);
      }
    }
  }
}

TEST(Scores, AFollowedCellShowsEveryWaitInTheOrderOfTime) {
  const std::string text = "mora-trace 1\n" + many_late_senders(30);
  const AnalysisResult plain = analyse_text(many_late_senders(30)).result;
  for (const unsigned partitions : {1u, 2u, 5u}) {
    auto source = trace::read_trace_text(text);
    ASSERT_TRUE(source);
    AnalyzeOptions options;
    options.partitions = partitions;
    options.follow = FollowedCell{plain.waits[0].metric, {plain.waits[0].call_path}};
    const auto result = analyze(**source, "text", options);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->followed.size(), 75u);
    Nanoseconds sum = 0;
    for (std::size_t i = 0; i < result->followed.size(); ++i) {
      const WorstInstance& wait = result->followed[i];
      sum += wait.end - wait.begin;
      EXPECT_EQ(wait.call_path, plain.waits[0].call_path);
      if (i > 0) {
        EXPECT_LE(result->followed[i - 1].begin, wait.begin);
      }
    }
    EXPECT_EQ(sum, plain.waits[0].total);
  }
}

}  // namespace
}  // namespace mora::analysis
