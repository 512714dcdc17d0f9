/// The engine against the naive reference, on all tiny programs.
#include <gtest/gtest.h>

#include <set>

#include "analysis/analyze.h"
#include "cells.h"
#include "programs.h"
#include "reference.h"

namespace mora::exhaustive {
namespace {

/// What the reference computes; other families have tests of their own.
const MetricChoice& metrics_of_reference() {
  static const std::set<std::string> ids = {"late-sender",
                                            "late-sender-wrong-order",
                                            "late-sender-wrong-order-different-source",
                                            "late-sender-wrong-order-same-source",
                                            "late-sender-instances",
                                            "late-sender-communications",
                                            "late-sender-synchronizations",
                                            "late-sender-wrong-order-communications",
                                            "late-sender-wrong-order-synchronizations",
                                            "late-receiver",
                                            "late-receiver-instances",
                                            "late-receiver-communications",
                                            "late-receiver-synchronizations",
                                            "polling",
                                            "polling-calls",
                                            "wait-at-barrier",
                                            "barrier-completion",
                                            "late-broadcast",
                                            "early-reduce",
                                            "early-scan",
                                            "wait-at-scan",
                                            "wait-at-nxn",
                                            "nxn-completion",
                                            "wait-at-create",
                                            "wait-at-free",
                                            "wait-at-fence",
                                            "asserted-fence"};
  static const MetricChoice choice([](const std::string& id) { return ids.contains(id); });
  return choice;
}

std::string broken_invariant(const cube::Cube& cube, const trace::MemorySource& source) {
  const cube::MetricId time = cube.find_metric("time");
  for (std::uint32_t l = 0; l < source.events.size(); ++l) {
    const Nanoseconds lifetime = source.events[l].back().time - source.events[l].front().time;
    if (cube.by_location(time)[l] != lifetime) return "time of location " + std::to_string(l) + " is not its lifetime";
  }
  return broken_parent(cube);
}

std::string everything(const analysis::AnalysisResult& r) {
  std::string text = text_of(cells_of(r.cube, metrics_of_reference()));
  for (const analysis::WaitSummary& w : r.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.instances) + " " +
            std::to_string(w.total) + " " + std::to_string(w.worst.begin) + "-" + std::to_string(w.worst.end) + " @" +
            std::to_string(w.worst.location) + " by " + std::to_string(w.worst.cause) + " in " +
            std::to_string(w.worst.cause_call_path);
    for (const auto& [location, amount] : w.caused_by)
      text += " " + std::to_string(location) + ":" + std::to_string(amount);
    text += "\n";
  }
  for (const cube::CallPath& path : r.cube.call_paths) text += path.name + " " + std::to_string(path.parent) + "\n";
  for (const QualityRow& q : r.quality.rows()) text += q.kind + " " + q.where + " " + std::to_string(q.count) + "\n";
  return text;
}

TEST(Exhaustive, EngineEqualsReferenceOnAllTinyPrograms) {
  std::uint64_t with_waits = 0;
  std::uint64_t number = 0;
  const std::uint64_t programs = for_all_programs([&](trace::MemorySource& source, const std::string& text) {
    ++number;
    const ReferenceResult wanted = analyse_naively(source);
    analysis::AnalyzeOptions options;
    options.workers = 1;
    options.partitions = 1;
    options.ideal_network = false;  // the replay has tests of its own
    const auto result = analysis::analyze(source, "tiny", options);
    if (!result) {
      ADD_FAILURE() << text << "\n" << result.error().text();
      return false;
    }
    with_waits += wanted.cells.empty() ? 0 : 1;
    EXPECT_EQ(difference_of(cells_of(result->cube, metrics_of_reference()), wanted.cells), "") << text;
    EXPECT_EQ(counted(*result, "unmatched-send"), wanted.unmatched_sends) << text;
    EXPECT_EQ(counted(*result, "unmatched-receive"), wanted.unmatched_receives) << text;
    EXPECT_EQ(counted(*result, "clock-violation"), wanted.clock_violations) << text;
    EXPECT_EQ(broken_invariant(result->cube, source), "") << text;
    // Another number of partitions for every fourth program, two and three in turn, real threads for every 128th: they
    // cost more than the analysis.
    if (number % 4 == 0) {
      const unsigned n = number % 8 == 0 ? 2 : 3;
      options.workers = number % 256 < 8 ? n : 1;
      options.partitions = n;
      source.quality_table = DataQuality();
      const auto other = analysis::analyze(source, "tiny", options);
      EXPECT_TRUE(other.has_value()) << text;
      if (other) {
        EXPECT_EQ(everything(*other), everything(*result)) << n << " partitions: " << text;
      }
    }
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(programs, 100000U);
  EXPECT_GT(with_waits, programs / 3);
  RecordProperty("programs", static_cast<int>(programs));
}

}  // namespace
}  // namespace mora::exhaustive
