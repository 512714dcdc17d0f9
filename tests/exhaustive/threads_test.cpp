/// Threads: the engine against the naive reference, on tiny programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "threads.h"

namespace mora::exhaustive {
namespace {

std::string text_of(const ThreadCells& cells) {
  std::string text;
  for (const auto& [where, amount] : cells) {
    text += std::get<0>(where) + " @" + std::to_string(std::get<1>(where)) + " = " + std::to_string(amount) + "\n";
  }
  return text;
}

ThreadCells cells_of(const cube::Cube& cube) {
  ThreadCells cells;
  for (const char* id : {"omp-wait-at-explicit-barrier", "omp-wait-at-implicit-barrier", "omp-critical-contention",
                         "omp-management", "omp-fork", "omp-idle-threads", "omp-limited-parallelism"}) {
    const std::vector<std::int64_t> amounts = cube.by_location(cube.find_metric(id));
    for (std::uint32_t l = 0; l < amounts.size(); ++l) {
      if (amounts[l] != 0) cells[{id, l}] = amounts[l];
    }
  }
  return cells;
}

/// Children never exceed their parent in a cell, nothing of times is negative, and workers live as long as their
/// process.
std::string broken_invariant(const cube::Cube& cube, const trace::MemorySource& source) {
  const std::size_t locations = source.events.size();
  std::vector<std::int64_t> children;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    children.assign(cube.metrics.size() * locations, 0);
    for (cube::MetricId m = cube.metrics.size(); m-- > 0;) {
      const auto& row = cube.row(m, c);
      for (std::size_t l = 0; l < locations; ++l) {
        const std::int64_t cell = row.empty() ? 0 : row[l];
        if (cell < 0 || children[m * locations + l] > cell) {
          return cube.metrics[m].id + " at " + cube.call_paths[c].name + " @" + std::to_string(l) +
                 (cell < 0 ? " is negative" : " is exceeded by its children");
        }
        if (cube.metrics[m].parent != cube::no_id) children[cube.metrics[m].parent * locations + l] += cell;
      }
    }
  }
  const std::int64_t process = source.events[0].back().time - source.events[0].front().time;
  const std::vector<std::int64_t> time = cube.by_location(cube.find_metric("time"));
  for (std::size_t l = 0; l < locations; ++l) {
    const std::int64_t life = source.events[l].empty() ? 0 : process;
    if (time[l] != life)
      return "time of thread " + std::to_string(l) + " is " + std::to_string(time[l]) + ", not " + std::to_string(life);
  }
  return "";
}

TEST(Threads, EngineEqualsReferenceOnTinyPrograms) {
  std::uint64_t with_waits = 0;
  std::set<std::string> seen;
  const std::uint64_t programs = for_all_thread_programs([&](trace::MemorySource& source, const std::string& text) {
    // A worker whose last record comes after the process's end by the master's clock: the programs have none.
    Nanoseconds last = source.events[0].back().time;
    for (const auto& events : source.events) last = std::max(last, events.empty() ? last : events.back().time);
    source.events[0].back().time = last;
    const ThreadCells wanted = analyse_threads_naively(source);
    analysis::AnalyzeOptions options;
    options.workers = 1;
    options.partitions = 1;
    options.ideal_network = false;  // the replay has tests of its own
    const auto result = analysis::analyze(source, "tiny", options);
    if (!result) {
      ADD_FAILURE() << text << "\n" << result.error().text();
      return false;
    }
    EXPECT_EQ(text_of(cells_of(result->cube)), text_of(wanted)) << text;
    EXPECT_EQ(broken_invariant(result->cube, source), "") << text;
    with_waits += wanted.empty() ? 0 : 1;
    for (const auto& [where, amount] : wanted) seen.insert(std::get<0>(where));
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(programs, 5000U);
  EXPECT_GT(with_waits, programs / 2);
  EXPECT_EQ(seen.size(), 7U);  // every metric occurs
}

}  // namespace
}  // namespace mora::exhaustive
