/// Non-blocking collectives and true partners: the engine against the naive reference on all tiny programs.
#include <gtest/gtest.h>

#include <set>

#include "analysis/analyze.h"
#include "cells.h"
#include "nonblocking.h"

namespace mora::exhaustive {
namespace {

const MetricChoice metrics_of_reference([](const std::string& id) {
  return id.rfind("nonblocking-", 0) == 0 || id == "wait-at-nxn" || id == "wait-at-neighborhood" ||
         id == "late-sender" || id == "request-completion";
});

std::string everything(const analysis::AnalysisResult& r) {
  std::string text = text_of(cells_of(r.cube, metrics_of_reference));
  for (const analysis::WaitSummary& w : r.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.total) + " @" +
            std::to_string(w.worst.location) + " by " + std::to_string(w.worst.cause) + " in " +
            std::to_string(w.worst.cause_call_path) + "\n";
  }
  for (const QualityRow& q : r.quality.rows()) text += q.kind + " " + q.where + " " + std::to_string(q.count) + "\n";
  return text;
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
        EXPECT_EQ(difference_of(cells_of(result->cube, metrics_of_reference), wanted.cells), "") << text;
        EXPECT_EQ(broken_parent(result->cube), "") << text;
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
  EXPECT_EQ(seen.size(), 14U) << "each metric of the family occurs";
}

}  // namespace
}  // namespace mora::exhaustive
