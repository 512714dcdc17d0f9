/// Fences and post-start-complete-wait: the engine against the naive reference, on all tiny programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/analyze.h"
#include "cells.h"
#include "programs_active_target.h"
#include "reference_active_target.h"

namespace mora::exhaustive {
namespace {

const std::set<std::string>& compared() {
  static const std::set<std::string> ids = {"late-post",
                                            "early-transfer",
                                            "early-wait",
                                            "late-complete",
                                            "early-fence",
                                            "pairwise-synchronizations",
                                            "pairwise-synchronizations-unneeded"};
  return ids;
}

const MetricChoice metrics_of_reference([](const std::string& id) { return compared().contains(id); });

Cells causes_of(const analysis::AnalysisResult& result) {
  Cells causes;
  if (result.waits.empty()) return causes;
  const std::vector<std::string> names = path_names(result.cube);
  for (const analysis::WaitSummary& w : result.waits) {
    if (!compared().contains(result.cube.metrics[w.metric].id)) continue;
    for (const auto& [location, amount] : w.caused_by) {
      causes[{result.cube.metrics[w.metric].id, names[w.call_path], location}] += amount;
    }
  }
  return causes;
}

/// All that must not depend on partitions.
std::string everything(const analysis::AnalysisResult& r) {
  std::string text = text_of(cells_of(r.cube, metrics_of_reference)) + text_of(causes_of(r));
  for (const analysis::WaitSummary& w : r.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.instances) + " " +
            std::to_string(w.total) + " " + std::to_string(w.worst.begin) + "-" + std::to_string(w.worst.end) + " @" +
            std::to_string(w.worst.location) + " by " + std::to_string(w.worst.cause) + " in " +
            std::to_string(w.worst.cause_call_path) + "\n";
  }
  for (const QualityRow& q : r.quality.rows()) text += q.kind + " " + q.where + " " + std::to_string(q.count) + "\n";
  return text;
}

TEST(Exhaustive, ActiveTargetEqualsReferenceOnAllTinyPrograms) {
  std::uint64_t number = 0;
  std::map<std::string, std::uint64_t> seen;  ///< programs in which a metric is not 0
  const std::uint64_t programs =
      for_all_active_target_programs([&](trace::MemorySource& source, const std::string& text) {
        ++number;
        const ActiveTargetReference wanted = analyse_active_target_naively(source);
        analysis::AnalyzeOptions options;
        options.workers = 1;
        options.partitions = 1;
        options.ideal_network = false;  // the replay has tests of its own
        const auto result = analysis::analyze(source, "tiny", options);
        if (!result) {
          ADD_FAILURE() << text << "\n" << result.error().text();
          return false;
        }
        std::set<std::string> metrics;
        for (const auto& [where, amount] : wanted.cells) metrics.insert(std::get<0>(where));
        for (const std::string& m : metrics) ++seen[m];
        EXPECT_EQ(difference_of(cells_of(result->cube, metrics_of_reference), wanted.cells), "") << text;
        EXPECT_EQ(difference_of(causes_of(*result), wanted.causes), "") << text;
        EXPECT_EQ(counted(*result, "clock-violation"), wanted.clock_violations) << text;
        EXPECT_EQ(counted(*result, "unclosed-epoch"), wanted.unclosed) << text;
        EXPECT_EQ(counted(*result, "unopened-epoch"), wanted.unopened) << text;
        EXPECT_EQ(counted(*result, "unmatched-epoch"), wanted.unmatched) << text;
        EXPECT_EQ(broken_parent(result->cube), "") << text;
        if (number % 8 == 0) {
          const std::string one = everything(*result);
          for (const unsigned n : {2U, 3U, 5U}) {
            options.workers = number % 64 == 0 ? n : 1;
            options.partitions = n;
            source.quality_table = DataQuality();
            const auto other = analysis::analyze(source, "tiny", options);
            EXPECT_TRUE(other.has_value()) << text;
            if (other) {
              EXPECT_EQ(everything(*other), one) << n << " partitions: " << text;
            }
          }
        }
        return !::testing::Test::HasFailure();
      });
  EXPECT_GT(programs, 45000U);
  for (const std::string& metric : compared()) EXPECT_GT(seen[metric], 500U) << metric;
}

}  // namespace
}  // namespace mora::exhaustive
