/// Non-blocking collectives and true partners: the engine against the naive reference on all tiny programs.
#include <gtest/gtest.h>

#include <set>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "nonblocking.h"

namespace mora::exhaustive {
namespace {

bool is_of_reference(const std::string& id) {
  return id.rfind("nonblocking-", 0) == 0 || id == "wait-at-nxn" || id == "wait-at-neighborhood";
}

std::string path_of(const cube::Cube& cube, cube::CallPathId path) {
  std::string text;
  for (; cube.call_paths[path].parent != cube::no_id; path = cube.call_paths[path].parent) {
    text = "/" + cube.call_paths[path].name + text;
  }
  return text;
}

Cells cells_of(const cube::Cube& cube) {
  Cells cells;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (!is_of_reference(cube.metrics[m].id)) continue;
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      for (std::uint32_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) cells[{cube.metrics[m].id, path_of(cube, c), l}] = row[l];
      }
    }
  }
  return cells;
}

std::string text_of(const Cells& cells) {
  std::string text;
  for (const auto& [where, amount] : cells) {
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

std::string everything(const analysis::AnalysisResult& r) {
  std::string text = text_of(cells_of(r.cube));
  for (const analysis::WaitSummary& w : r.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.total) + " @" +
            std::to_string(w.worst.location) + " by " + std::to_string(w.worst.cause) + " in " +
            std::to_string(w.worst.cause_call_path) + "\n";
  }
  for (const QualityRow& q : r.quality.rows()) text += q.kind + " " + q.where + " " + std::to_string(q.count) + "\n";
  return text;
}

/// Children together never exceed their parent in any cell.
std::string broken_invariant(const cube::Cube& cube) {
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    for (std::size_t l = 0; l < cube.locations.size(); ++l) {
      std::vector<std::int64_t> children(cube.metrics.size());
      for (cube::MetricId m = cube.metrics.size(); m-- > 0;) {
        const auto& row = cube.row(m, c);
        const std::int64_t cell = row.empty() ? 0 : row[l];
        if (cell < 0 || children[m] > cell) return cube.metrics[m].id + " at " + path_of(cube, c);
        if (cube.metrics[m].parent != cube::no_id) children[cube.metrics[m].parent] += cell;
      }
    }
  }
  return "";
}

TEST(Exhaustive, NonblockingCollectivesAndTruePartners) {
  std::uint64_t number = 0;
  std::set<std::string> seen;
  const std::uint64_t programs =
      for_all_nonblocking_programs([&](trace::MemorySource& source, const std::string& text) {
        const ReferenceResult wanted = analyse_nonblocking_naively(source);
        analysis::AnalyzeOptions options;
        options.workers = 1;
        options.partitions = 1;
        options.ideal_network = false;  // the replay has tests of its own
        const auto result = analysis::analyze(source, "tiny", options);
        if (!result) {
          ADD_FAILURE() << text << "\n" << result.error().text();
          return false;
        }
        EXPECT_EQ(text_of(cells_of(result->cube)), text_of(wanted.cells)) << text;
        EXPECT_EQ(broken_invariant(result->cube), "") << text;
        for (const auto& [where, amount] : wanted.cells) seen.insert(std::get<0>(where));
        if (++number % 8 == 0) {
          const std::string one = everything(*result);
          for (const unsigned n : {2U, 3U, 5U}) {
            options.partitions = n;
            source.quality_table = DataQuality();
            const auto other = analysis::analyze(source, "tiny", options);
            EXPECT_TRUE(other && everything(*other) == one) << n << " partitions: " << text;
          }
        }
        return !::testing::Test::HasFailure();
      });
  EXPECT_GT(programs, 20000U);
  EXPECT_EQ(seen.size(), 11U) << "each metric of the family occurs";
}

}  // namespace
}  // namespace mora::exhaustive
