/// Broken, incomplete and contradictory traces: everything is counted, nothing hangs, what is whole stays right.
#include "analysis/metric_info.h"
#include "support/analysis/analyze_text.h"
#include "trace/memory_source.h"

namespace mora::analysis {
namespace {

TEST(Damage, UnmatchedMessagesAreCounted) {
  const Analysed a =
      analyse_text("P0 0-1 MPI_Send to 1; 5-6 MPI_Send to 1\nP1 2-3 MPI_Recv from 0; 8-9 MPI_Recv from 0 tag 9\n");
  EXPECT_EQ(a.quality("unmatched-send"), 1U);
  EXPECT_EQ(a.quality("unmatched-receive"), 1U);
}

TEST(Damage, ThreadsWithoutRegionsAreNotProductive) {
  EXPECT_EQ(analyse_text("P0 0 SEND to 1; 9 SEND to 1\nP1 0-9 MPI_Recv from 0\n").quality("no-regions"), 1U);
  EXPECT_EQ(analyse_text("P0 0 USER mark; 9 USER mark\nP0.1 0 USER mark; 5 USER mark\n").quality("no-regions"), 2U);
  EXPECT_EQ(analyse_text("P0 0 ENTER f; 9 EXIT\nP1 4 USER mark\n").quality("no-regions"), 0U);  // P1 has no time
}

TEST(Damage, ImpossibleSizesNeitherOverflowNorPass) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Send to 1 bytes 18446744073709551615; 2-3 MPI_Send to 1 bytes 9223372036854775807\n"
      "P1 0-1 MPI_Recv from 0 bytes 17592186044416; 2-3 MPI_Recv from 0 bytes 4\n");
  EXPECT_EQ(a.quality("impossible-size"), 2U);
  EXPECT_EQ(a.ranks("bytes-sent"), "35184372088832 0");
  EXPECT_EQ(a.ranks("bytes-received"), "0 17592186044420");
}

TEST(Damage, PrefixOfAChannelStillPairs) {
  const Analysed a = analyse_text("P0 5-6 MPI_Send to 1\nP1 0-7 MPI_Recv from 0; 8-9 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 5");
  EXPECT_EQ(a.quality("unmatched-receive"), 1U);
}

TEST(Damage, IncompleteCollectivesGetNoWaiting) {
  const Analysed a = analyse_text("P0 0-10 MPI_Barrier; 20-30 MPI_Barrier\nP1 5-10 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "5 0");
  EXPECT_EQ(a.quality("incomplete-collective"), 1U);
}

TEST(Damage, MismatchedCollectivesGetNoWaiting) {
  const Analysed a = analyse_text("P0 0-10 MPI_Barrier\nP1 5-10 MPI_Allreduce\n");
  EXPECT_EQ(a.total("wait-at-barrier") + a.total("wait-at-nxn"), 0);
  EXPECT_EQ(a.quality("mismatched-collective"), 1U);
  EXPECT_EQ(analyse_text("P0 0-10 MPI_Bcast root 0\nP1 5-10 MPI_Bcast root 1\n").quality("mismatched-collective"), 1U);
}

/// A trace of which one location cannot be read.
class BrokenSource : public trace::MemorySource {
 public:
  explicit BrokenSource(ErrorKind kind) : kind_(kind) {}
  Result<void> read_location(trace::LocationId location, trace::EventSink& sink) override {
    if (location != 1) return MemorySource::read_location(location, sink);
    return fail(kind_, "cannot read", "", "it is broken");
  }

 private:
  ErrorKind kind_;
};

TEST(Damage, IsOfTheArchiveOnlyIfTheSystemDoesNotFail) {
  for (const ErrorKind kind : {ErrorKind::unreadable, ErrorKind::system}) {
    BrokenSource source(kind);
    source.defs.locations = {trace::Location{.name = "P0", .rank = 0}, trace::Location{.name = "P1", .rank = 1}};
    source.defs.index_ranks();
    source.events.resize(2);
    const auto result = analyze(source, "", {});
    EXPECT_EQ(result.has_value(), kind == ErrorKind::unreadable);
    if (!result) {
      EXPECT_EQ(result.error().why, "it is broken");
    }
  }
}

TEST(Gaps, TimeWithoutRecordingIsItsOwnMetric) {
  const Analysed a = analyse_text(
      "comm ALONE = 0\nP0 0 ENTER main; 10 RECORDING_OFF; 40 RECORDING_ON; 50-60 MPI_Barrier comm ALONE; 100 EXIT\n");
  EXPECT_EQ(a.total("unrecorded"), 30);
  EXPECT_EQ(a.total("computation"), 60);
  EXPECT_EQ(a.total("time"), 100);
}

TEST(Gaps, OnAllRanksDoNotShiftTheNumbering) {
  // Rank 1 recorded a barrier more before the stretch; after it the count starts again.
  const Analysed a = analyse_text(
      "P0 0-2 MPI_Barrier; 10 RECORDING_OFF; 20 RECORDING_ON; 30-40 MPI_Barrier; 50-60 MPI_Recv from 1\n"
      "P1 0-2 MPI_Barrier; 3-4 MPI_Send to 0; 5-9 MPI_Barrier; 10 RECORDING_OFF; 20 RECORDING_ON; 35-40 MPI_Barrier; "
      "54-55 MPI_Send to 0\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "5 0");
  EXPECT_EQ(a.quality("incomplete-collective"), 1U);
  EXPECT_EQ(a.ranks("late-sender"), "4 0");
  EXPECT_EQ(a.quality("unmatched-send"), 1U);
}

TEST(Gaps, UnequalCountsAfterAGapAreLeftOut) {
  const Analysed a = analyse_text(
      "P0 0 RECORDING_OFF; 1 RECORDING_ON; 30-40 MPI_Barrier; 41-42 MPI_Send to 1\n"
      "P1 0 RECORDING_OFF; 1 RECORDING_ON; 35-40 MPI_Barrier; 43-44 MPI_Barrier; 45-46 MPI_Recv from 0; 47-48 MPI_Recv "
      "from 0\n");
  EXPECT_EQ(a.total("wait-at-barrier"), 0);
  EXPECT_EQ(a.quality("collective-across-gap"), 2U);
  EXPECT_EQ(a.quality("message-across-gap"), 2U);
}

TEST(Gaps, CallsThatReachIntoOneGetNoWaiting) {
  const Analysed a = analyse_text(
      "P0 16-18 MPI_Send to 1\nP1 10 ENTER MPI_Recv; 12 RECORDING_OFF; 15 RECORDING_ON; 20 RECV from 0; 20 EXIT\n");
  EXPECT_EQ(a.total("late-sender"), 0);
  EXPECT_EQ(a.at("unrecorded", 1), 3);
  EXPECT_EQ(a.at("point-to-point", 1), 7);
}

TEST(Overhead, OfTheRecorderIsNotComputation) {
  const Analysed a = analyse_text(
      "comm ALONE = 0\nP0 0 ENTER main; 10 OVERHEAD_BEGIN; 14 OVERHEAD_END; 20-25 MPI_Barrier comm ALONE; 30 EXIT\n");
  EXPECT_EQ(a.total("overhead"), 4);
  EXPECT_EQ(a.total("execution"), 26);
  EXPECT_EQ(a.total("computation"), 21);
}

TEST(Partitions, NeverChangeADigit) {
  const std::string body =
      "P0 16-18 MPI_Send to 1; 30-40 MPI_Allreduce; 41-42 MPI_Send to 3\nP1 10-20 MPI_Recv from 0; 33-40 "
      "MPI_Allreduce\n"
      "P2 0-1 MPI_Send to 3; 39-41 MPI_Allreduce\nP3 0-5 MPI_Recv from 2; 31-40 MPI_Allreduce; 41-50 MPI_Recv from 0\n";
  const Analysed one = analyse_text(body);
  for (unsigned n = 2; n < 9; ++n) {
    const Analysed other = analyse_text(body, n);
    for (const MetricInfo& info : all_metrics()) {
      EXPECT_EQ(one.ranks(std::string(info.id)), other.ranks(std::string(info.id))) << info.id << " " << n;
    }
    ASSERT_EQ(one.result.waits.size(), other.result.waits.size());
    for (std::size_t i = 0; i < one.result.waits.size(); ++i) {
      EXPECT_EQ(one.result.waits[i].caused_by, other.result.waits[i].caused_by);
      EXPECT_EQ(one.result.waits[i].call_path, other.result.waits[i].call_path);
    }
  }
}

TEST(Damage, ACallAroundOtherRegionsClaimsNoWaiting) {
  const Analysed a = analyse_text("P0 16-18 MPI_Send to 1\nP1 10-20 MPI_Recv from 0; 12-16 handler\n");
  EXPECT_EQ(a.total("late-sender"), 0);
  EXPECT_EQ(a.quality("nested-in-call"), 1U);
  EXPECT_EQ(a.path("MPI_Recv", "point-to-point", 1), 6);
}

}  // namespace
}  // namespace mora::analysis
