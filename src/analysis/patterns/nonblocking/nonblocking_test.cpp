/// Non-blocking collectives, alltoallv and neighbourhoods on traces whose numbers are computed by hand.
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

TEST(NonblockingCollective, TheWaitLastsUntilTheLastNeededStart) {
  for (const unsigned partitions : {1U, 2U, 3U, 5U}) {
    const Analysed a = analyse_text(
        "P0 0-1 MPI_Ibarrier req a; 10-30 MPI_Wait req a\nP1 20-21 MPI_Ibarrier req a; 22-31 MPI_Wait req a\n",
        partitions);
    EXPECT_EQ(a.ranks("nonblocking-collective-wait"), "10 0");
    EXPECT_EQ(a.ranks("nonblocking-wait-at-barrier"), "10 0");
    EXPECT_EQ(a.path("MPI_Wait", "nonblocking-collective-wait", 0), 10);
    EXPECT_EQ(a.ranks("collective"), "21 10");  // start and wait
    EXPECT_EQ(a.ranks("nonblocking-collective-time"), "9 1");
    EXPECT_EQ(a.ranks("nonblocking-collective-overlap"), "9 1");
    EXPECT_EQ(a.total("wait-at-barrier"), 0);
    EXPECT_EQ(a.total("late-sender"), 0);
  }
}

TEST(NonblockingCollective, OverlapIsTheTimeOutsideMpi) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 3-6 MPI_Test; 8-9 MPI_Comm_rank; 10-30 MPI_Wait req a\n"
      "P1 20-21 MPI_Ibarrier req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("nonblocking-collective-time"), "9 1");
  EXPECT_EQ(a.ranks("nonblocking-collective-overlap"), "5 1");
}

TEST(NonblockingCollective, ATestNeverWaitsAndALateStartIsClamped) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 10-30 MPI_Test req a\nP1 40-41 MPI_Ibarrier req a; 42-43 MPI_Wait req a\n"
      "P2 2-3 MPI_Ibarrier req a; 5-35 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("nonblocking-collective-wait"), "0 0 30");
  EXPECT_EQ(a.quality("clock-violation"), 2U);
}

TEST(NonblockingCollective, EveryOperationHasItsRule) {
  // Root 0 starts last: receivers wait for it.
  EXPECT_EQ(
      analyse_text("P0 20-21 MPI_Ibcast req a; 22-23 MPI_Wait req a\nP1 0-1 MPI_Ibcast req a; 5-25 MPI_Wait req a\n")
          .ranks("nonblocking-late-broadcast"),
      "0 15");
  // … but not it for them.
  EXPECT_EQ(
      analyse_text("P0 0-1 MPI_Ibcast req a; 5-23 MPI_Wait req a\nP1 10-11 MPI_Ibcast req a; 12-25 MPI_Wait req a\n")
          .total("nonblocking-collective-wait"),
      0);
  EXPECT_EQ(
      analyse_text("P0 0-1 MPI_Ireduce req a; 5-23 MPI_Wait req a\nP1 10-11 MPI_Ireduce req a; 12-25 MPI_Wait req a\n")
          .ranks("nonblocking-early-reduce"),
      "5 0");
  EXPECT_EQ(analyse_text("P0 10-11 MPI_Iscan req a; 12-23 MPI_Wait req a\nP1 0-1 MPI_Iscan req a; 2-25 MPI_Wait req a\n"
                         "P2 20-21 MPI_Iscan req a; 22-25 MPI_Wait req a\n")
                .ranks("nonblocking-early-scan"),
            "0 8 0");
  // The last does not send anything.
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Iallgatherv req a; 2-33 MPI_Wait req a\nP1 10-11 MPI_Iallgatherv req a; 12-33 "
                         "MPI_Wait req a\nP2 30-31 MPI_Iallgatherv sent 0 req a; 32-33 MPI_Wait req a\n")
                .ranks("nonblocking-wait-at-nxn"),
            "8 0 0");
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Ineighbor_alltoall dests 1 sources 1 req a; 2-33 MPI_Wait req a\n"
                         "P1 10-11 MPI_Ineighbor_alltoall dests 0 sources 0 req a; 12-33 MPI_Wait req a\n"
                         "P2 30-31 MPI_Ineighbor_alltoall req a; 32-33 MPI_Wait req a\n")
                .ranks("nonblocking-wait-at-neighborhood"),
            "8 0 0");
  // Without bytes nobody needs anybody.
  EXPECT_EQ(
      analyse_text("P0 0-1 MPI_Iallreduce bytes 0 req a; 2-33 MPI_Wait req a\nP1 10-11 MPI_Iallreduce bytes 0 req a; "
                   "12-33 MPI_Wait req a\n")
          .total("nonblocking-collective-wait"),
      0);
}

TEST(NonblockingCollective, ACallIsChargedOnceTheLongest) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 2-3 MPI_Iallreduce req b; 10-40 MPI_Waitall req a,b\n"
      "P1 20-21 MPI_Ibarrier req a; 30-31 MPI_Iallreduce req b; 32-41 MPI_Waitall req a,b\n");
  EXPECT_EQ(a.ranks("nonblocking-collective-wait"), "20 0");
  EXPECT_EQ(a.ranks("nonblocking-wait-at-nxn"), "20 0");
  EXPECT_EQ(a.total("nonblocking-wait-at-barrier"), 0);
}

// All have started at 20, but rank 1 computes until 30; rank 0 leaves then.
TEST(NonblockingCollective, WaitsForProgressUntilTheLastNeededRankCompletes) {
  for (const unsigned partitions : {1U, 2U}) {
    const Analysed a = analyse_text(
        "P0 0-1 MPI_Iallreduce req a; 10-32 MPI_Wait req a\nP1 20-21 MPI_Iallreduce req a; 30-32 MPI_Wait req a\n",
        partitions);
    EXPECT_EQ(a.ranks("nonblocking-wait-at-nxn"), "10 0");
    EXPECT_EQ(a.ranks("nonblocking-progress"), "10 0");
    // By what rank 1 did longer before: 20 until its start, rank 0 nothing; then 9, as rank 0 did.
    EXPECT_EQ(a.total("delay-costs-nonblocking-short-term"), 20);
    EXPECT_EQ(a.path("MPI_Iallreduce", "delay-costs-nonblocking-short-term", 1), 0);
  }
  // The last to start waits as well; who waits at once for nobody.
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Ibarrier req a; 30-32 MPI_Wait req a\nP1 20-21 MPI_Ibarrier req a; 21-32 MPI_Wait "
                         "req a\n")
                .ranks("nonblocking-progress"),
            "0 9");
  // It left before the other came to complete, or long after: the library moved it otherwise.
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Ibarrier req a; 10-22 MPI_Wait req a\nP1 20-21 MPI_Ibarrier req a; 30-31 MPI_Wait "
                         "req a\n")
                .total("nonblocking-progress"),
            0);
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Ibarrier req a; 10-42 MPI_Wait req a\nP1 20-21 MPI_Ibarrier req a; 30-42 MPI_Wait "
                         "req a\n")
                .total("nonblocking-progress"),
            0);
  // A member of a broadcast waits for its root only, and the root for nobody.
  EXPECT_EQ(analyse_text("P0 0-1 MPI_Ibcast req a; 10-11 MPI_Wait req a\nP1 0-1 MPI_Ibcast req a; 2-12 MPI_Wait req a\n"
                         "P2 0-1 MPI_Ibcast req a; 11-12 MPI_Wait req a\n")
                .ranks("nonblocking-progress"),
            "0 8 0");
}

TEST(NonblockingCollective, ACallThatCompletedAMessageTooIsDivided) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 2-3 MPI_Irecv from 1 req b; 10-40 MPI_Waitall req a,b\n"
      "P1 20-21 MPI_Ibarrier req a; 30-31 MPI_Send to 0; 32-41 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("nonblocking-collective-wait"), "10 0");
  EXPECT_EQ(a.ranks("nonblocking-wait-at-barrier"), "10 0");
  EXPECT_EQ(a.ranks("late-sender"), "10 0");
  EXPECT_EQ(a.ranks("point-to-point"), "21 1");
  EXPECT_EQ(a.ranks("collective"), "11 10");
}

TEST(NonblockingCollective, PersistentOnesBeginWithTheirStart) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Barrier_init; 5 ENTER MPI_Start; 5 NBC_START req a operation MPI_Barrier; 6 EXIT; 10-30 MPI_Wait req "
      "a\n"
      "P1 0-1 MPI_Barrier_init; 20 ENTER MPI_Start; 20 NBC_START req a operation MPI_Barrier; 21 EXIT; 22-31 MPI_Wait "
      "req "
      "a\n");
  EXPECT_EQ(a.ranks("nonblocking-wait-at-barrier"), "10 0");
}

TEST(NonblockingCollective, DamageIsCountedAndGetsNoWaiting) {
  const Analysed missing = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 10-30 MPI_Wait req a; 31-32 MPI_Ibarrier req b\nP1 20-21 MPI_Ibarrier req a; 22-31 "
      "MPI_Wait "
      "req a\n");
  EXPECT_EQ(missing.ranks("nonblocking-collective-wait"), "10 0");
  EXPECT_EQ(missing.quality("incomplete-collective"), 1U);
  EXPECT_EQ(missing.quality("uncompleted-collective"), 1U);
  const Analysed mixed = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 10-30 MPI_Wait req a\nP1 20-21 MPI_Iallreduce req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(mixed.total("nonblocking-collective-wait"), 0);
  EXPECT_EQ(mixed.quality("mismatched-collective"), 1U);
  const Analysed roots = analyse_text(
      "P0 0-1 MPI_Ibcast root 0 req a; 10-30 MPI_Wait req a\nP1 20-21 MPI_Ibcast root 1 req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(roots.quality("mismatched-collective"), 1U);
  const Analysed gap = analyse_text(
      "P0 0 RECORDING_OFF; 1 RECORDING_ON; 2-3 MPI_Ibarrier req a; 10-30 MPI_Wait req a; 31-32 MPI_Ibarrier req b; "
      "33-34 "
      "MPI_Wait req b\nP1 0 RECORDING_OFF; 1 RECORDING_ON; 20-21 MPI_Ibarrier req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(gap.total("nonblocking-collective-wait"), 0);
  EXPECT_EQ(gap.quality("collective-across-gap"), 2U);
  const Analysed broken = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 10 ENTER MPI_Wait; 12 RECORDING_OFF; 13 RECORDING_ON; 30 NBC_END req a; 30 EXIT\n"
      "P1 20-21 MPI_Ibarrier req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(broken.total("nonblocking-collective-wait"), 0);
}

/// As OTF2 has it: the start tells its request only, the completion the rest.
Analysed analyse_bare_starts(const std::string& body) {
  auto source = trace::read_trace_text("mora-trace 1\n" + body);
  EXPECT_TRUE(source.has_value());
  for (auto& stream : (*source)->events) {
    for (trace::Event& event : stream) {
      if (event.kind != trace::EventKind::collective_request) continue;
      event.comm = event.root = event.vector = 0xFFFFFFFF;
      event.bytes = event.received = 0;
    }
  }
  AnalyzeOptions options;
  options.workers = options.partitions = 1;
  auto result = analyze(**source, "bare", options);
  EXPECT_TRUE(result.has_value());
  return Analysed{std::move(*result)};
}

TEST(NonblockingCollective, TheCompletionMayTellWhatWasStarted) {
  const Analysed a = analyse_bare_starts(
      "P0 20-21 MPI_Ibcast req a; 22-23 MPI_Wait req a\nP1 0-1 MPI_Ibcast req a; 5-25 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("nonblocking-late-broadcast"), "0 15");
  EXPECT_EQ(a.ranks("bytes-sent"), "16 0");
  EXPECT_EQ(a.ranks("bytes-received"), "8 8");
}

TEST(NonblockingCollective, BehindAStartOfUnknownCommunicatorNumbersAreNotTrusted) {
  // P0's first barrier is never completed: whether it was on WORLD is not known, so the second may be the third of P1.
  const Analysed a = analyse_bare_starts(
      "P0 0-1 MPI_Ibarrier req x; 2-3 MPI_Ibarrier req a; 10-30 MPI_Wait req a\n"
      "P1 20-21 MPI_Ibarrier req a; 22-31 MPI_Wait req a\n");
  EXPECT_EQ(a.total("nonblocking-collective-wait"), 0);
  EXPECT_EQ(a.quality("uncompleted-collective"), 1U);
  EXPECT_GT(a.quality("incomplete-collective") + a.quality("collective-across-gap"), 0U);
}

TEST(NonblockingCollective, AloneNobodyWaits) {
  const Analysed a = analyse_text(
      "comm me = self\nP0 0-1 MPI_Ibarrier comm me req a; 10-30 MPI_Wait req a\nP1 0-1 MPI_Ibarrier comm me req a; 2-3 "
      "MPI_Wait req a\n");
  EXPECT_EQ(a.total("nonblocking-collective-wait"), 0);
  EXPECT_EQ(a.ranks("nonblocking-collective-time"), "9 1");
}

TEST(TruePartners, AlltoallvWaitsOnlyForThoseItReceivesFrom) {
  const std::string text =
      "P0 0-20 MPI_Alltoallv counts 0,0,0,0,8,0\nP1 7-22 MPI_Alltoallv counts 8,0,0,0,0,8\n"
      "P2 15-25 MPI_Alltoallv counts 0,8,0,0,0,0\n";
  for (const unsigned partitions : {1U, 2U, 3U, 5U}) {
    const Analysed a = analyse_text(text, partitions);
    EXPECT_EQ(a.ranks("wait-at-nxn"), "7 8 0");
    EXPECT_EQ(a.total("nxn-completion"), 0);
  }
  // Counts of one rank are lost: only that one has no rule. Wrong length: the same.
  EXPECT_EQ(
      analyse_text("P0 0-20 MPI_Alltoallv\nP1 7-22 MPI_Alltoallv counts 8,0,0,0,0,8\nP2 15-25 MPI_Alltoallv counts "
                   "0,8,0,0,0,0\n")
          .ranks("wait-at-nxn"),
      "0 8 0");
  EXPECT_EQ(
      analyse_text("P0 0-20 MPI_Alltoallv counts 0,8,0\nP1 7-22 MPI_Alltoallw counts 8,0,0,0\n").total("wait-at-nxn"),
      0);
}

TEST(TruePartners, OnAnInterCommunicatorTheyAreInTheOtherGroup) {
  const Analysed a = analyse_text(
      "comm x = 0 | 1,2\nP0 0-20 MPI_Alltoallv comm x counts 8,8,0,8\nP1 7-22 MPI_Alltoallv comm x counts 0,8\n"
      "P2 15-25 MPI_Alltoallv comm x counts 8,8\n");
  EXPECT_EQ(a.ranks("wait-at-nxn"), "15 0 0");  // P0 receives from P2 only
}

TEST(TruePartners, NeighborhoodsWaitForTheirNeighbours) {
  const std::string ring =
      "P0 0-20 MPI_Neighbor_alltoall dests 1,3 sources 1,3\nP1 4-20 MPI_Neighbor_alltoall dests 0,2 sources 0,2\n"
      "P2 6-20 MPI_Neighbor_alltoall dests 1,3 sources 1,3\nP3 15-21 MPI_Neighbor_alltoall dests 2,0 sources 2,0\n";
  for (const unsigned partitions : {1U, 2U, 3U, 5U}) {
    const Analysed a = analyse_text(ring, partitions);
    EXPECT_EQ(a.ranks("wait-at-neighborhood"), "15 2 9 0");
    EXPECT_EQ(a.total("wait-at-nxn"), 0);
  }
  // Nothing comes from P3; oneself is no partner; a neighbour may be there twice.
  const Analysed b = analyse_text(
      "P0 0-20 MPI_Neighbor_allgather dests 0,1 sources 0,1,1\nP1 4-20 MPI_Neighbor_allgather dests 0,0 sources 0,2:0\n"
      "P2 15-20 MPI_Neighbor_allgather dests 1:0\n");
  EXPECT_EQ(b.ranks("wait-at-neighborhood"), "4 0 0");
}

TEST(TruePartners, NeighborhoodCollectivesOfOthersWithoutListsHaveNoRule) {
  EXPECT_EQ(
      analyse_text("P0 0-20 MPI_Neighbor_allgather\nP1 4-20 MPI_Neighbor_allgather\n").total("wait-at-neighborhood"),
      0);
}

}  // namespace
}  // namespace mora::analysis
