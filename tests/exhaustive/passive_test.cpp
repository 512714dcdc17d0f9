/// The engine against the naive reference, on all tiny lock programs.
#include "passive.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/analyze.h"
#include "cells.h"

namespace mora::exhaustive {
namespace {

const MetricChoice& metrics_of_reference() {
  static const std::set<std::string> ids = {
      "lock-contention", "lock-all-contention",  "late-unlock",      "wait-for-progress",
      "flush-wait",      "lock-contention-comm", "late-unlock-comm", "wait-for-progress-comm"};
  static const MetricChoice choice([](const std::string& id) { return ids.contains(id); });
  return choice;
}

std::string everything(const analysis::AnalysisResult& result) {
  std::string text = text_of(cells_of(result.cube, metrics_of_reference()));
  for (const analysis::WaitSummary& w : result.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.instances) + " " + std::to_string(w.worst.begin) + "-" +
            std::to_string(w.worst.end) + " by " + std::to_string(w.worst.cause) + " in " +
            std::to_string(w.worst.cause_call_path) + "\n";
  }
  for (const analysis::CheckFinding& f : result.checks)
    text += std::to_string(static_cast<int>(f.rule)) + " " + std::to_string(f.call.begin) + " " +
            std::to_string(f.instances) + "\n";
  return text;
}

TEST(ExhaustivePassive, EngineEqualsReferenceOnAllTinyLockPrograms) {
  std::uint64_t number = 0;
  std::set<std::string> seen;
  const std::uint64_t programs = for_all_lock_programs([&](trace::MemorySource& source, const std::string& text) {
    ++number;
    analysis::AnalyzeOptions options;
    options.workers = 1;
    options.partitions = 1;
    options.ideal_network = false;  // the replay has tests of its own
    const auto result = analysis::analyze(source, "tiny", options);
    if (!result) {
      ADD_FAILURE() << text << "\n" << result.error().text();
      return false;
    }
    const Cells wanted = passive_cells_naively(source);
    for (const auto& [where, amount] : wanted) seen.insert(std::get<0>(where) + std::get<1>(where));
    EXPECT_EQ(difference_of(cells_of(result->cube, metrics_of_reference()), wanted), "") << text;
    EXPECT_EQ(broken_parent(result->cube), "") << text;
    EXPECT_TRUE(result->checks.empty()) << text;  // every program keeps the rules
    if (number % 16 == 0) {
      for (const unsigned n : {2U, 3U, 5U}) {
        options.partitions = n;
        source.quality_table = DataQuality();
        const auto other = analysis::analyze(source, "tiny", options);
        EXPECT_TRUE(other && everything(*other) == everything(*result)) << n << " partitions: " << text;
      }
    }
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(programs, 250000U);
  for (const char* where :
       {"lock-contention/main/MPI_Win_lock", "lock-contention/main/MPI_Win_unlock",
        "lock-contention/main/MPI_Win_flush", "lock-contention-comm/main/MPI_Put",
        "lock-all-contention/main/MPI_Win_lock_all", "late-unlock/main/MPI_Win_lock", "late-unlock-comm/main/MPI_Put",
        "wait-for-progress/main/MPI_Win_unlock", "wait-for-progress/main/MPI_Win_unlock_all",
        "flush-wait/main/MPI_Win_flush", "wait-for-progress-comm/main/MPI_Fetch_and_op"}) {
    EXPECT_TRUE(seen.contains(where)) << where;
  }
}

}  // namespace
}  // namespace mora::exhaustive
