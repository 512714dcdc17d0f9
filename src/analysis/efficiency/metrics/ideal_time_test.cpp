// Expected numbers are worked out by hand.
#include "analysis/efficiency/metrics/ideal_time.h"

#include <array>
#include <atomic>

#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

constexpr const char* two_phases =
    R"(P0 0-100 main; 0-40 solve; 10-40 MPI_Barrier; 40-90 output; 50-90 MPI_Recv from 1; 90-100 w
P1 0-100 main; 0-40 solve; 30-40 MPI_Barrier; 40-90 output; 80-90 MPI_Send to 0; 90-100 w
)";

TEST(IdealTime, StandsAtTheRegionsThemselves) {
  const Analysed a = analyse_text(two_phases);
  // Barrier: both at 30. Output: P1 40, P0 10 and then the message at 70. Then 10 of w each.
  EXPECT_EQ(a.path("solve", "ideal-network-time", 0), 30);
  EXPECT_EQ(a.path("solve", "ideal-network-time", 1), 30);
  EXPECT_EQ(a.path("output", "ideal-network-time", 0), 40);
  EXPECT_EQ(a.path("output", "ideal-network-time", 1), 40);
  EXPECT_EQ(a.path("w", "ideal-network-time", 0), 10);
  EXPECT_EQ(a.ranks("ideal-network-time"), "80 80");
}

TEST(IdealTime, OfIntervalsHoweverTheyAreMarked) {
  const Analysed a = analyse_text(R"(
region outer interval at a.c:1
P0 0-100 outer id 1; 0-40 w; 40-45 MPI_Send to 1; 50-99 MPI_Barrier
P1 0-100 outer id 1; 0-60 MPI_Recv from 0; 60-62 w; 70-99 MPI_Barrier
)");
  // P0: 40, send, 5, barrier at 50 (P1: 40 + 2 + 8), 1. P1: 50, 1.
  EXPECT_EQ(a.ranks("ideal-network-time"), "51 51");
  EXPECT_EQ(a.path("outer", "ideal-network-time", 0), 11);
  EXPECT_EQ(a.path("outer", "ideal-network-time", 1), 49);
  const Analysed marked = analyse_text(R"(
P0 0-10 main; 10-20 MPI_Pcontrol level 0x0A0001AA; 20-40 w; 40-50 MPI_Pcontrol level 0x0A0001BB; 50-55 w
)");
  // The marks' own 10 + 10 are no time on the ideal network.
  EXPECT_EQ(marked.ranks("ideal-network-time"), "35");
}

TEST(IdealTime, IsLeftOutOnRequest) {
  AnalyzeOptions options;
  options.ideal_network = false;
  auto source = trace::read_trace_text(std::string("mora-trace 1\n") + two_phases);
  ASSERT_TRUE(source);
  const auto result = analyze(**source, "text", options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->cube.total(result->cube.find_metric("ideal-network-time")), 0);
}

TEST(IdealTime, DamageOfTheReplayIsInTheResult) {
  const Analysed a = analyse_text("P0 0-10 MPI_Recv from 1; 10-11 w\nP1 0-10 w\n");
  EXPECT_EQ(a.quality("replay-without-partner"), 1U);
}

TEST(IdealTime, TheTraceIsReadOnceForPhasesWaitsAndTheReplay) {
  class Counting : public trace::MemorySource {
   public:
    Result<void> read_location(trace::LocationId l, trace::EventSink& sink) override {
      ++readings[l];
      return trace::MemorySource::read_location(l, sink);
    }
    std::array<std::atomic<int>, 2> readings{};
  } source;
  auto read = trace::read_trace_text(std::string("mora-trace 1\n") + two_phases);
  ASSERT_TRUE(read);
  static_cast<trace::MemorySource&>(source) = **read;
  for (const std::uint64_t memory : {0, 64 << 20}) {
    source.readings[0] = source.readings[1] = 0;
    AnalyzeOptions defaults;
    defaults.intervals.phases = trace::Phases::unmarked;
    defaults.memory = memory;
    const auto result = analyze(source, "text", defaults);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->cube.total(result->cube.find_metric("ideal-network-time")), 160);
    EXPECT_EQ(source.readings[0], 1);
    EXPECT_EQ(source.readings[1], 1);
  }
}

}  // namespace
}  // namespace mora::analysis
