/// Fences and post-start-complete-wait: the engine against the naive reference, on all tiny programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/analyze.h"
#include "programs_active_target.h"
#include "reference_active_target.h"

namespace mora::exhaustive {
namespace {

using Amounts = std::map<std::tuple<std::string, std::string, std::uint32_t>, std::int64_t>;

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

std::string path_of(const cube::Cube& cube, cube::CallPathId path) {
  std::string text;
  for (; cube.call_paths[path].parent != cube::no_id; path = cube.call_paths[path].parent) {
    text = "/" + cube.call_paths[path].name + text;
  }
  return text;
}

Amounts cells_of(const cube::Cube& cube) {
  Amounts cells;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (!compared().contains(cube.metrics[m].id)) continue;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      for (std::uint32_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) cells[{cube.metrics[m].id, path_of(cube, c), l}] = row[l];
      }
    }
  }
  return cells;
}

Amounts causes_of(const analysis::AnalysisResult& result) {
  Amounts causes;
  for (const analysis::WaitSummary& w : result.waits) {
    if (!compared().contains(result.cube.metrics[w.metric].id)) continue;
    for (const auto& [location, amount] : w.caused_by) {
      causes[{result.cube.metrics[w.metric].id, path_of(result.cube, w.call_path), location}] += amount;
    }
  }
  return causes;
}

std::string text_of(const Amounts& amounts) {
  std::string text;
  for (const auto& [where, amount] : amounts) {
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

std::uint64_t counted(const analysis::AnalysisResult& result, const std::string& kind) {
  std::uint64_t count = 0;
  for (const QualityRow& row : result.quality.rows()) count += row.kind == kind ? row.count : 0;
  return count;
}

/// Children of a metric together never exceed it in any cell: so waiting never exceeds the time of its call.
std::string exceeded_parent(const cube::Cube& cube, std::size_t locations) {
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    std::vector<std::int64_t> children(cube.metrics.size() * locations);
    for (cube::MetricId m = static_cast<cube::MetricId>(cube.metrics.size()); m-- > 0;) {  // children before parents
      const auto& row = cube.row(m, c);
      for (std::size_t l = 0; l < locations; ++l) {
        const std::int64_t cell = row.empty() ? 0 : row[l];
        if (cell < 0 || children[m * locations + l] > cell) return cube.metrics[m].id + " at " + path_of(cube, c);
        if (cube.metrics[m].parent != cube::no_id) children[cube.metrics[m].parent * locations + l] += cell;
      }
    }
  }
  return "";
}

/// All that must not depend on partitions.
std::string everything(const analysis::AnalysisResult& r) {
  std::string text = text_of(cells_of(r.cube)) + text_of(causes_of(r));
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
        EXPECT_EQ(text_of(cells_of(result->cube)), text_of(wanted.cells)) << text;
        EXPECT_EQ(text_of(causes_of(*result)), text_of(wanted.causes)) << text;
        EXPECT_EQ(counted(*result, "clock-violation"), wanted.clock_violations) << text;
        EXPECT_EQ(counted(*result, "unclosed-epoch"), wanted.unclosed) << text;
        EXPECT_EQ(counted(*result, "unmatched-epoch"), wanted.unmatched) << text;
        EXPECT_EQ(exceeded_parent(result->cube, source.events.size()), "") << text;
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
