/// Rules of collectives and where simple implementations go wrong. Numbers are worked out by hand.
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

TEST(Barrier, WaitsForTheLastAndCompletesAfterTheFirst) {
  const Analysed a = analyse_text(
      "P0 0 ENTER main; 100-131 MPI_Barrier; 200 EXIT\nP1 0 ENTER main; 100-132 MPI_Barrier; 200 EXIT\n"
      "P2 0 ENTER main; 100-131 MPI_Barrier; 200 EXIT\nP3 0 ENTER main; 130-133 MPI_Barrier; 200 EXIT\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "30 30 30 0");
  EXPECT_EQ(a.ranks("barrier-completion"), "0 1 0 2");
  EXPECT_EQ(a.ranks("barrier"), "31 32 31 3");
  EXPECT_EQ(a.ranks("time"), "200 200 200 200");
  ASSERT_FALSE(a.result.waits.empty());
  EXPECT_EQ(a.result.waits[0].caused_by, (std::vector<std::pair<cube::LocationId, Nanoseconds>>{{3, 90}}));
}

TEST(Barrier, ThatIsLeftBeforeTheLastEnteredIsClampedAndCounted) {
  const Analysed a = analyse_text("P0 0-5 MPI_Barrier\nP1 10-12 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "5 0");
  EXPECT_EQ(a.quality("clock-violation"), 1U);
}

TEST(Barrier, OfOneProcessIsNothing) {
  const Analysed a = analyse_text("comm ALONE = 0\nP0 0-5 MPI_Barrier comm ALONE\n");
  EXPECT_EQ(a.total("wait-at-barrier") + a.total("barrier-completion"), 0);
  EXPECT_EQ(a.total("barrier"), 5);
}

TEST(LateBroadcast, ChargesReceiversThatCameBeforeTheRoot) {
  const Analysed a = analyse_text("P0 0-20 MPI_Bcast root 1\nP1 15-18 MPI_Bcast root 1\nP2 16-21 MPI_Bcast root 1\n");
  EXPECT_EQ(a.ranks("late-broadcast"), "15 0 0");
  EXPECT_EQ(
      analyse_text("P0 0-20 MPI_Bcast root 1 bytes 0\nP1 15-18 MPI_Bcast root 1 bytes 0\n").total("late-broadcast"), 0);
  EXPECT_EQ(analyse_text("P0 0-20 MPI_Scatter root 1\nP1 15-18 MPI_Scatter root 1\n").ranks("late-broadcast"), "15 0");
}

TEST(LateBroadcast, NotForMembersThatReceiveNothing) {
  const Analysed a = analyse_text(
      "P0 0-20 MPI_Scatterv root 1 sent 0 recvd 0\nP1 15-18 MPI_Scatterv root 1 sent 8 recvd 0\nP2 5-20 MPI_Scatterv "
      "root 1 sent 0 recvd 8\n");
  EXPECT_EQ(a.ranks("late-broadcast"), "0 0 10");
}

TEST(LateBroadcast, OnAnInterCommunicatorWaitsForTheRootInTheOtherGroup) {
  const Analysed a = analyse_text(
      "comm BRIDGE = 0,1 | 2,3\n"
      "P0 10-12 MPI_Bcast comm BRIDGE root 0 sent 16 recvd 0\nP1 1-2 MPI_Bcast comm BRIDGE sent 0 recvd 0 root 0\n"
      "P2 3-12 MPI_Bcast comm BRIDGE root 0 sent 0 recvd 8\nP3 4-13 MPI_Bcast comm BRIDGE root 0 sent 0 recvd 8\n");
  EXPECT_EQ(a.ranks("late-broadcast"), "0 0 7 6");
}

TEST(EarlyReduce, WaitsForTheLastSenderOnTheRootOnly) {
  const Analysed a = analyse_text("P0 0-20 MPI_Reduce root 0\nP1 7-8 MPI_Reduce root 0\nP2 12-14 MPI_Reduce root 0\n");
  EXPECT_EQ(a.ranks("early-reduce"), "12 0 0");
  EXPECT_EQ(analyse_text("P0 0-20 MPI_Reduce root 0 bytes 0\nP1 7-8 MPI_Reduce root 0 bytes 0\n").total("early-reduce"),
            0);
  EXPECT_EQ(analyse_text("P0 0-20 MPI_Gather root 0\nP1 7-8 MPI_Gather root 0\n").ranks("early-reduce"), "7 0");
}

TEST(EarlyReduce, IgnoresMembersThatSendNothing) {
  const Analysed a = analyse_text(
      "P0 0-20 MPI_Gatherv root 0 sent 8 recvd 16\nP1 7-8 MPI_Gatherv root 0 sent 8 recvd 0\nP2 12-14 MPI_Gatherv root "
      "0 sent 0 recvd 0\n");
  EXPECT_EQ(a.ranks("early-reduce"), "7 0 0");
}

TEST(EarlyScan, WaitsForSmallerRanks) {
  const Analysed a = analyse_text("P0 5-6 MPI_Scan\nP1 0-20 MPI_Scan\nP2 12-21 MPI_Scan\nP3 8-22 MPI_Scan\n");
  EXPECT_EQ(a.ranks("early-scan"), "0 5 0 4");
  EXPECT_EQ(analyse_text("P0 5-6 MPI_Scan bytes 0\nP1 0-20 MPI_Scan bytes 0\n").total("early-scan"), 0);
}

// Rank 2 comes at 12 and keeps all others, as recursive doubling does; rank 3 had waited for rank 1 before.
TEST(WaitAtScan, WaitsForLargerRanksThatTheCallDidNotLeaveBefore) {
  const Analysed a = analyse_text("P0 5-14 MPI_Scan\nP1 8-14 MPI_Scan\nP2 12-14 MPI_Scan\nP3 3-14 MPI_Scan\n");
  EXPECT_EQ(a.ranks("early-scan"), "0 0 0 9");
  EXPECT_EQ(a.ranks("wait-at-scan"), "7 4 0 0");
  // Rank 0 waits for rank 1 as the rule of smaller ranks has it, from 8 on for rank 2.
  const Analysed b = analyse_text(
      "comm BACK = 1,0,2\nP0 0-13 MPI_Scan comm BACK\nP1 8-14 MPI_Scan comm BACK\nP2 12-14 MPI_Scan comm BACK\n");
  EXPECT_EQ(b.ranks("early-scan"), "8 0 0");
  EXPECT_EQ(b.ranks("wait-at-scan"), "4 4 0");
  // A scan that sends from rank to rank: nobody waits for those behind it.
  const Analysed chain = analyse_text("P0 5-6 MPI_Scan\nP1 8-9 MPI_Scan\nP2 12-14 MPI_Scan\nP3 3-15 MPI_Scan\n");
  EXPECT_EQ(chain.total("wait-at-scan"), 0);
  // What follows the larger rank's entry is longer than the wait: a long call, no wait.
  EXPECT_EQ(analyse_text("P0 5-20 MPI_Scan\nP1 10-21 MPI_Scan\n").total("wait-at-scan"), 0);
  EXPECT_EQ(analyse_text("P0 5-12 MPI_Scan\nP1 10-21 MPI_Scan sent 0 recvd 8\n").total("wait-at-scan"), 0);
}

TEST(EarlyScan, FollowsTheRankOrderOfTheCommunicator) {
  const Analysed a = analyse_text("comm BACK = 1,0\nP0 0-20 MPI_Scan comm BACK\nP1 5-6 MPI_Scan comm BACK\n");
  EXPECT_EQ(a.ranks("early-scan"), "5 0");
  const Analysed b = analyse_text("P0 0-20 MPI_Scan\nP1 5-6 MPI_Scan\n");
  EXPECT_EQ(b.total("early-scan"), 0);
}

TEST(WaitAtNxN, FullOverlap) {
  const Analysed a = analyse_text("P0 0-20 MPI_Allreduce\nP1 7-22 MPI_Allreduce\nP2 12-21 MPI_Allreduce\n");
  EXPECT_EQ(a.ranks("wait-at-nxn"), "12 5 0");
  EXPECT_EQ(a.ranks("nxn-completion"), "0 2 1");
  EXPECT_EQ(analyse_text("P0 0-20 MPI_Allreduce bytes 0\nP1 7-22 MPI_Allreduce bytes 0\n").total("wait-at-nxn"), 0);
}

TEST(WaitAtNxN, PartialOverlapWaitsForTheLastSender) {
  // P2 contributes nothing and comes last; the others leave before it enters.
  const Analysed a = analyse_text(
      "P0 0-20 MPI_Allgatherv sent 8 recvd 16\nP1 7-22 MPI_Allgatherv sent 8 recvd 16\nP2 30-35 MPI_Allgatherv sent 0 "
      "recvd 16\n");
  EXPECT_EQ(a.ranks("wait-at-nxn"), "7 0 0");
  EXPECT_EQ(a.ranks("nxn-completion"), "0 2 5");  // from max(first end 20, last sender 7, own begin)
  EXPECT_EQ(a.quality("clock-violation"), 0U);
}

TEST(WaitAtNxN, PartialOverlapSparesThoseThatReceiveNothing) {
  const Analysed a = analyse_text(
      "P0 0-5 MPI_Reduce_scatter sent 16 recvd 0\nP1 1-22 MPI_Reduce_scatter sent 16 recvd 8\nP2 10-23 "
      "MPI_Reduce_scatter sent 16 recvd 8\n");
  EXPECT_EQ(a.ranks("wait-at-nxn"), "0 9 0");
}

TEST(WaitAtNxN, IgnoresAlltoallv) {
  const Analysed a = analyse_text("P0 0-20 MPI_Alltoallv\nP1 7-22 MPI_Alltoallv\n");
  EXPECT_EQ(a.total("wait-at-nxn") + a.total("nxn-completion"), 0);
  EXPECT_EQ(a.total("collective"), 35);
}

TEST(InitAndFinalize, UseTheBarrierFormulas) {
  const Analysed a = analyse_text("P0 0-10 MPI_Init; 20-30 MPI_Finalize\nP1 6-12 MPI_Init; 25-31 MPI_Finalize\n");
  EXPECT_EQ(a.ranks("wait-at-init"), "6 0");
  EXPECT_EQ(a.ranks("initialization-completion"), "0 2");
  EXPECT_EQ(a.ranks("wait-at-finalize"), "5 0");
  EXPECT_EQ(a.ranks("init-finalize"), "20 12");
}

TEST(Fence, WaitsOnlyWithFullOverlap) {  // Hermanns 2004, 6.3; Mora's rule wait-at-fence
  const Analysed full = analyse_text(
      "P0 10-20 MPI_Win_fence w0\nP1 12-20 MPI_Win_fence w0\nP2 17-20 MPI_Win_fence w0\nP3 11-20 MPI_Win_fence w0\n");
  EXPECT_EQ(full.ranks("wait-at-fence"), "7 5 0 6");
  EXPECT_EQ(full.total("fence"), 30);
  EXPECT_EQ(full.result.cube.exclusive_total(full.result.cube.find_metric("fence")), 12);
  EXPECT_EQ(full.total("asserted-fence"), 0);
  const Analysed cut = analyse_text(
      "P0 10-12 MPI_Win_fence w0\nP1 12-20 MPI_Win_fence w0\nP2 17-20 MPI_Win_fence w0\nP3 11-20 MPI_Win_fence w0\n");
  EXPECT_EQ(cut.total("wait-at-fence"), 0);
  EXPECT_EQ(cut.ranks("asserted-fence"), "2 5 0 6");
}

TEST(Windows, CreateAndFreeWaitLikeFences) {
  const Analysed a = analyse_text(
      "P0 0-9 MPI_Win_create w0; 10-20 MPI_Win_free w0\nP1 5-9 MPI_Win_create w0; 17-20 MPI_Win_free w0\n");
  EXPECT_EQ(a.ranks("wait-at-create"), "5 0");
  EXPECT_EQ(a.ranks("wait-at-free"), "7 0");
  EXPECT_EQ(a.ranks("window-handling"), "19 7");
  EXPECT_EQ(analyse_text("P0 0-4 MPI_Win_create w0\nP1 5-9 MPI_Win_create w0\n").total("wait-at-create"), 0);
}

TEST(Instances, AreTheNthCallOnTheirCommunicatorNotOverlapInTime) {
  // Barriers on two communicators interleave.
  const Analysed a = analyse_text(
      "comm X = 0,1\ncomm Y = 0,2\n"
      "P0 0-10 MPI_Barrier comm X; 20-30 MPI_Barrier comm Y\nP1 4-10 MPI_Barrier comm X\nP2 23-30 MPI_Barrier comm "
      "Y\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "7 0 0");
}

TEST(Instances, KOJAKsSynchronizationTree) {  // Hermanns 2004, 6.2.2
  const Analysed a = analyse_text("P0 0-3 MPI_Barrier; 10-15 MPI_Win_fence w0\n");
  EXPECT_EQ(a.total("synchronization"), 8);
  EXPECT_EQ(a.total("barrier"), 3);
  EXPECT_EQ(a.total("synchronization-one-sided"), 5);
}

}  // namespace
}  // namespace mora::analysis
