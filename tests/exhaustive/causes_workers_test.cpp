/// The same digits with any number of workers, on the programs of causes_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/analyze.h"
#include "trace/readers/text/text_source.h"

#include "programs_causes.h"

namespace mora::exhaustive {
namespace {

using Cell = std::tuple<std::string, cube::CallPathId, std::size_t, std::int64_t>;

std::vector<Cell> cells(const cube::Cube& cube) {
  std::vector<Cell> all;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      for (std::size_t l = 0; l < row.size(); ++l)
        if (row[l] != 0) all.emplace_back(cube.metrics[m].id, c, l, row[l]);
    }
  }
  return all;
}

/// With 1, 2, 3 and 4 workers, in every `threads`-th program as many threads.
void expect_the_same_digits(const std::string& text, unsigned seed, unsigned threads) {
  const auto source = trace::read_trace_text(text);
  ASSERT_TRUE(source) << text << source.error().text();
  std::vector<Cell> one;
  for (const unsigned workers : {1U, 2U, 3U, 4U}) {
    analysis::AnalyzeOptions options;
    options.ideal_network = false;
    options.partitions = workers;
    options.workers = seed % threads == 0 ? workers : 1;
    options.window = seed % 2 * std::uint64_t{workers} * 4;  // other slices, too
    const auto result = analysis::analyze(**source, "random", options);
    ASSERT_TRUE(result);
    const std::vector<Cell> found = cells(result->cube);
    if (workers == 1) one = found;
    ASSERT_EQ(found, one) << workers << " workers, seed " << seed << "\n" << text;
  }
}

/// Ranks that queue for one lock again and again: those that wait for the same holder are weighed together.
std::string queues(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  const std::size_t ranks = 4 + random() % 5;
  std::vector<int> clocks(ranks, 0), order;
  for (std::size_t r = 0; r < ranks; ++r) order.push_back(static_cast<int>(r));
  const std::string target = " w0 to " + std::to_string(ranks) + "\n";
  std::string text = "mora-trace 1\n";
  int released = 0;
  const auto call = [&](int rank, int until, const std::string& name) {
    int& clock = clocks[static_cast<std::size_t>(rank)];
    text += "P" + std::to_string(rank) + " " + std::to_string(clock) + "-" + std::to_string(until) + " " + name;
    clock = until;
  };
  for (int round = 1 + upto(5); round > 0; --round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int rank : order) {
      call(rank, std::max(clocks[static_cast<std::size_t>(rank)], upto(1) * released) + 1 + upto(2), "work\n");
      call(rank, clocks[static_cast<std::size_t>(rank)] + 1, "MPI_Win_lock" + target);
      call(rank, clocks[static_cast<std::size_t>(rank)] + 1, "MPI_Put" + target);
    }
    for (const int rank : order) {
      released = std::max(released, clocks[static_cast<std::size_t>(rank)]) + 1 + upto(6);
      call(rank, released, "MPI_Win_unlock" + target);
    }
  }
  return text + "P" + std::to_string(ranks) + " 0-" + std::to_string(released + 1) + " MPI_Barrier\n";
}

/// Costs of one cell come from several partitions, what later waits hand on is divided and lost to 2^-32 ns on the way,
/// and small times make many equal fractions, between which rounding decides.
TEST(Causes, HaveTheSameDigitsWithAnyNumberOfWorkers) {
  for (unsigned seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    expect_the_same_digits(random_program(random).text, seed, 64);
  }
}

TEST(Causes, OfQueuesHaveTheSameDigitsWithAnyNumberOfWorkers) {
  for (unsigned seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    expect_the_same_digits(queues(random), seed, 64);
  }
}

}  // namespace
}  // namespace mora::exhaustive
