/// Causes, with numbers worked out by hand from the definitions in causes.h.
#include "analysis/causes/rejected_points.h"
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

TEST(DelayCosts, OfALateSenderAreWhatItDidLonger) {
  const Analysed a = analyse_text(
      "P0 0-20 work; 20-22 MPI_Send to 1\n"
      "P1 0-5 work; 5-24 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 15");
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 0), 15);
  EXPECT_EQ(a.total("delay-costs"), 15);
  EXPECT_EQ(a.ranks("direct-waits-late-sender"), "0 15");
  EXPECT_EQ(a.total("indirect-waits"), 0);
  EXPECT_EQ(a.ranks("terminal-waits-late-sender"), "0 15");
  EXPECT_EQ(a.total("propagating-waits"), 0);
}

TEST(CriticalPath, ChangesToTheCauseWhereAWaitEnds) {
  const Analysed a = analyse_text(
      "P0 0-20 work; 20-22 MPI_Send to 1\n"
      "P1 0-5 work; 5-24 MPI_Recv from 0\n");
  EXPECT_EQ(a.total("critical-path"), 24);
  EXPECT_EQ(a.path("work", "critical-path", 0), 20);
  EXPECT_EQ(a.path("MPI_Recv", "critical-path", 1), 4);
  // work: 20 on the path, 12.5 on average; MPI_Recv: 4 and (0 + 4) / 2.
  EXPECT_EQ(a.path("work", "critical-path-imbalance", 0), 7);
  EXPECT_EQ(a.path("MPI_Recv", "critical-path-imbalance", 1), 2);
}

TEST(PerformanceImpact, IsLocationsTimesLength) {
  const Analysed a = analyse_text(
      "P0 0-20 work; 20-22 MPI_Send to 1\n"
      "P1 0-5 work; 5-24 MPI_Recv from 0\n");
  EXPECT_EQ(a.total("performance-impact"), 48);
  EXPECT_EQ(a.ranks("activity-impact"), "20 9");              // work 20 and 5, MPI_Recv 4
  EXPECT_EQ(a.ranks("non-critical-path-activities"), "2 0");  // MPI_Send
  // P0: 24 - 22 idle, excess only in MPI_Recv (4), which it never visits: inter 2. P1: 24 - 9, excess work 15:
  // intra 15.
  EXPECT_EQ(a.total("inter-partition-imbalance"), 2);
  EXPECT_EQ(a.path("MPI_Recv", "inter-partition-imbalance", 1), 2);
  EXPECT_EQ(a.path("work", "intra-partition-imbalance", 0), 15);
  EXPECT_EQ(a.total("critical-path-activities"), 46);
}

TEST(DelayCosts, TravelAlongAChainWithoutANanosecondBetween) {
  const Analysed a = analyse_text(
      "P0 0-30 work; 30-30 MPI_Send to 1\n"
      "P1 0-10 work; 10-30 MPI_Recv from 0; 30-31 MPI_Send to 2\n"
      "P2 0-10 work; 10-31 MPI_Recv from 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 20 20");
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 0), 20);
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-long-term", 0), 20);
  EXPECT_EQ(a.total("delay-costs"), 40);
  EXPECT_EQ(a.ranks("direct-waits"), "0 20 0");
  EXPECT_EQ(a.ranks("indirect-waits"), "0 0 20");
  EXPECT_EQ(a.ranks("propagating-waits"), "0 20 0");
  EXPECT_EQ(a.ranks("terminal-waits"), "0 0 20");
  EXPECT_EQ(a.ranks("critical-path"), "30 1 0");  // P1 and P2 both end at 31: the smaller one counts
}

TEST(DelayCosts, AreSharedBetweenDelayAndEarlierWaiting) {
  // P1 waits 10 for P0 and computes 10 more than P2 itself: half of P2's 20 is indirect.
  const Analysed a = analyse_text(
      "P0 0-20 work; 20-21 MPI_Send to 1\n"
      "P1 0-10 work; 10-20 MPI_Recv from 0; 20-30 work; 30-31 MPI_Send to 2\n"
      "P2 0-10 work; 10-31 MPI_Recv from 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 10 20");
  EXPECT_EQ(a.ranks("indirect-waits"), "0 0 10");
  EXPECT_EQ(a.ranks("direct-waits"), "0 10 10");
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 1), 10);
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 0), 10);
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-long-term", 0), 10);
  EXPECT_EQ(a.total("delay-costs"), 30);
}

TEST(DelayCosts, OfABarrierAreSummedOverAllThatWait) {
  const Analysed a = analyse_text(
      "P0 0-10 work; 10-21 MPI_Barrier\n"
      "P1 0-20 work; 20-21 MPI_Barrier\n"
      "P2 0-14 work; 14-21 MPI_Barrier\n");
  EXPECT_EQ(a.path("work", "delay-costs-barrier-short-term", 1), 16);
  EXPECT_EQ(a.total("delay-costs"), 16);
  EXPECT_EQ(a.ranks("direct-waits-collective"), "10 0 6");
}

TEST(DelayCosts, CountFromTheLastSyncPoint) {
  // Before the first barrier P1 is the slow one, after it P0: its first 10 do not excuse it.
  const Analysed a = analyse_text(
      "P0 0-10 f; 10-30 MPI_Barrier; 30-60 f; 60-61 MPI_Barrier\n"
      "P1 0-30 f; 30-30 MPI_Barrier; 30-40 f; 40-61 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "20 20");
  EXPECT_EQ(a.path("f", "delay-costs-barrier-short-term", 1), 20);
  EXPECT_EQ(a.path("f", "delay-costs-barrier-short-term", 0), 20);
  EXPECT_EQ(a.total("indirect-waits"), 0);
}

TEST(DelayCosts, OfStretchesAreSeenByFunction) {
  // P0 and P2 compute 5 each, before different calls: that is no delay of P0. P1 is late, P0 waits for it, P2 for P0.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Barrier; 6-28 MPI_Recv from 1; 28-29 MPI_Barrier\n"
      "P1 0-1 MPI_Barrier; 26-27 MPI_Send to 0; 27-29 MPI_Barrier\n"
      "P2 0-1 MPI_Barrier; 6-29 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("late-sender"), "20 0 0");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "0 1 22");
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Recv", "delay-costs", 0), 0);
  EXPECT_EQ(a.path("MPI_Recv", "delay-costs-barrier-short-term", 0), 3);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Send", "delay-costs-late-sender-short-term", 1), 20);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Send", "delay-costs-barrier-long-term", 1), 20);
}

TEST(DelayCosts, OfStretchesOfDifferentFunctionsStayApart) {
  const Analysed a = analyse_text(
      "P0 0 ENTER f; 1-2 MPI_Barrier; 22-23 MPI_Send to 1; 23 EXIT; 23-24 MPI_Barrier\n"
      "P1 0 ENTER f; 1-2 MPI_Barrier; 2 EXIT; 7-24 MPI_Recv from 0; 24-25 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 15");
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Send", "delay-costs-late-sender-short-term", 0), 15);
}

TEST(DelayCosts, OfMessagesInTheWrongOrderBelongToTheReceiver) {
  // P0 waits 20 for P1, while P2's message is there from 5 on; it works 10 on each. 10 of the wait and all that the
  // others wait for P0 is its own fault, the first 10 are P1's.
  const Analysed a = analyse_text(
      "P0 0-0 MPI_Barrier; 0-20 MPI_Recv from 1; 30-30 MPI_Recv from 2; 40-40 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 20-20 MPI_Send to 0; 30-40 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 5-5 MPI_Send to 0; 30-40 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("late-sender-wrong-order"), "20 0 0");
  EXPECT_EQ(a.ranks("late-sender-avoidable"), "10 0 0");
  EXPECT_EQ(a.path("MPI_Recv", "delay-costs-late-sender-short-term", 0), 10);
  EXPECT_EQ(a.path("MPI_Recv", "delay-costs-barrier-long-term", 0), 20);
  EXPECT_EQ(a.path("compute MPI_Barrier -> MPI_Send", "delay-costs", 1), 10);
  EXPECT_EQ(a.total("delay-costs"), 40);
  EXPECT_EQ(a.ranks("critical-path"), "20 20 0");
}

TEST(DelayCosts, AMessageThatWasSentEarlyForALaterStepIsNotInTheWrongOrder) {
  const Analysed a = analyse_text(
      "P0 0-20 MPI_Recv from 1; 30-30 MPI_Send to 1; 40-40 MPI_Recv from 2; 50-50 MPI_Send to 2\n"
      "P1 20-20 MPI_Send to 0; 20-30 MPI_Recv from 0\n"
      "P2 5-5 MPI_Send to 0; 5-50 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender-wrong-order"), "20 0 0");
  EXPECT_EQ(a.total("late-sender-avoidable"), 0);
}

TEST(DelayCosts, BordersThatAreAllNeededAreNotInTheWrongOrder) {
  const Analysed a = analyse_text(
      "P0 0-20 MPI_Recv from 1; 20-21 MPI_Recv from 2; 40-40 MPI_Barrier\n"
      "P1 20-20 MPI_Send to 0; 30-40 MPI_Barrier\n"
      "P2 5-5 MPI_Send to 0; 30-40 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("late-sender-wrong-order"), "20 0 0");
  EXPECT_EQ(a.total("late-sender-avoidable"), 0);
}

TEST(SendProgress, EndsWhereTheReceiverEntersMpi) {
  // P1 computes until 20 and posts the receive at 25 only; P0's small send returns at 21, when P1 is in the barrier.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Send to null; 5-21 MPI_Send to 1; 21-24 MPI_Barrier\n"
      "P1 0-1 MPI_Send to null; 20-24 MPI_Barrier; 25-26 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("send-progress"), "15 0");
  EXPECT_EQ(a.ranks("late-receiver"), "0 0");
  EXPECT_EQ(a.path("compute MPI_Send -> MPI_Barrier", "delay-costs-late-receiver", 1), 15);
}

TEST(SendProgress, IsNoneOfALongTransfer) {
  // What follows P1's enter of MPI takes longer than what came before it: that is the transfer.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Send to null; 5-21 MPI_Send to 1\n"
      "P1 0-1 MPI_Irecv from 0 req 1; 10-25 MPI_Wait req 1\n");
  EXPECT_EQ(a.total("send-progress"), 0);
}

TEST(SendProgress, FollowsALateSenderInTheSameCall) {
  // P0 exchanges with P1 and P2: P1 sends at 6, P2 takes P0's message at 30 only.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Send to null; 5-31 MPI_Sendrecv to 2 from 1\n"
      "P1 0-1 MPI_Send to null; 6-7 MPI_Send to 0\n"
      "P2 0-1 MPI_Send to null; 30-32 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "1 0 0");
  EXPECT_EQ(a.ranks("send-progress"), "24 0 0");
}

TEST(DelayCosts, OfALateReceiver) {
  const Analysed a = analyse_text(
      "P0 0-2 work; 2-20 MPI_Ssend to 1\n"
      "P1 0-15 work; 15-21 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-receiver"), "13 0");
  EXPECT_EQ(a.path("work", "delay-costs-late-receiver-short-term", 1), 13);
  EXPECT_EQ(a.ranks("direct-waits-late-receiver"), "13 0");
}

TEST(DelayCosts, AMessageThatTheCauseReceivesLaterIsNoSyncPoint) {
  // Both send first, as in an exchange of borders: P1's message is taken after the wait that it stands before.
  const Analysed a = analyse_text(
      "P0 0-100 work; 100-101 MPI_Send to 1; 101-102 MPI_Recv from 1\n"
      "P1 0-1 MPI_Send to 0; 1-102 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 99");
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 0), 99);
}

TEST(DelayCosts, GoBackBeyondAMeetingToWhichTheCauseWasLate) {
  // P0 took P1's message late and answered late: it was behind already, so that the message explains nothing.
  const Analysed a = analyse_text(
      "P0 0-100 work; 100-101 MPI_Recv from 1; 101-150 work; 150-151 MPI_Send to 1\n"
      "P1 0-1 MPI_Send to 0; 1-10 work; 10-152 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 140");
  // Of 140 + 1: work of 149 against 9, MPI_Recv of 1 against 0.
  EXPECT_EQ(a.path("work", "delay-costs-late-sender-short-term", 0), 139);
  EXPECT_EQ(a.path("MPI_Recv", "delay-costs-late-sender-short-term", 0), 1);
  EXPECT_EQ(a.ranks("direct-waits"), "0 140");
}

TEST(DelayCosts, TheLeavesOfAGatherLearnNothingOfItsRoot) {
  // P2 is slow. The root waits for it in the gather, the others for the root in the barrier: in the gather P1 left at
  // 11 what P0 left at 32. Only P2 has seen the root wait until 30, when it came itself.
  const Analysed a = analyse_text(
      "P0 0-10 work; 10-32 MPI_Gather root 0; 32-33 MPI_Barrier\n"
      "P1 0-10 work; 10-11 MPI_Gather root 0; 11-33 MPI_Barrier\n"
      "P2 0-30 work; 30-31 MPI_Gather root 0; 31-33 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("early-reduce"), "20 0 0");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "0 21 1");
  EXPECT_EQ(a.path("work", "delay-costs-n-to-one-short-term", 2), 20);
  EXPECT_EQ(a.total("delay-costs-n-to-one"), 20);
  EXPECT_EQ(a.path("MPI_Gather", "delay-costs-barrier-short-term", 0), 2);
  EXPECT_EQ(a.path("work", "delay-costs-barrier-long-term", 2), 20);
  EXPECT_EQ(a.total("delay-costs-barrier"), 22);
  EXPECT_EQ(a.ranks("indirect-waits"), "0 20 0");
}

TEST(DelayCosts, AreBookedUnderTheClassOfTheWaitThatTheyCauseInTheEnd) {
  // P1 waits for P0's message, P2 for P1 at the barrier: P0's delay costs 20 as a late sender and 20 at the barrier.
  const Analysed a = analyse_text(
      "P0 0-30 work; 30-31 MPI_Send to 1; 31-41 MPI_Barrier\n"
      "P1 0-10 work; 10-31 MPI_Recv from 0; 31-40 work; 40-41 MPI_Barrier\n"
      "P2 0-19 work; 19-41 MPI_Barrier\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 20 0");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "9 0 21");
  EXPECT_EQ(a.total("delay-costs-late-sender-long-term"), 0);
  EXPECT_EQ(a.total("delay-costs-late-sender"), 20);
  EXPECT_EQ(a.total("delay-costs-barrier"), 30);
  // P2: P1 worked 19 as it did and received for 1; D = 1, W = 20.
  EXPECT_EQ(a.path("work", "delay-costs-barrier-long-term", 0), 20);
  // P0 and P1 met at the message: since then P1 worked 9 and received for 1, P0 sent for 1.
  EXPECT_EQ(a.path("work", "delay-costs-barrier-short-term", 1), 8);
  EXPECT_EQ(a.path("MPI_Recv", "delay-costs-barrier-short-term", 1), 2);
}

TEST(DelayCosts, OfALateStartAreAtTheProgramsRoot) {
  const Analysed a = analyse_text(
      "P0 0-5 work; 5-31 MPI_Init; 31-40 work\n"
      "P1 20-30 work; 30-31 MPI_Init; 31-40 work\n");
  EXPECT_EQ(a.ranks("wait-at-init"), "25 0");
  EXPECT_EQ(a.path("work", "delay-costs-start-and-end-short-term", 1), 5);
  EXPECT_EQ(a.path("program", "delay-costs-start-and-end-short-term", 1), 20);
  EXPECT_EQ(a.total("critical-path"), 40);
  EXPECT_EQ(a.path("program", "critical-path", 1), 20);
}

TEST(DelayCosts, OfTheRecorderAreItsOwn) {
  const Analysed a = analyse_text(
      "P0 0-10 work; 10-11 MPI_Barrier; 11-20 work; 20-31 MPI_Barrier\n"
      "P1 0-10 work; 10-11 MPI_Barrier; 11 ENTER work; 15 OVERHEAD_BEGIN; 25 OVERHEAD_END; 30 EXIT; 30-31 "
      "MPI_Barrier\n");
  EXPECT_EQ(a.ranks("wait-at-barrier"), "10 0");
  EXPECT_EQ(a.path("measurement", "delay-costs-barrier-short-term", 1), 10);
  EXPECT_EQ(a.path("measurement", "critical-path", 1), 10);
  EXPECT_EQ(a.total("critical-path"), 31);
}

TEST(DelayCosts, OfALatePost) {
  const Analysed a = analyse_text(
      "P0 0-5 work; 5-21 MPI_Win_start w0 group 1; 21-22 MPI_Put w0 to 1; 22-23 MPI_Win_complete w0\n"
      "P1 0-20 work; 20-22 MPI_Win_post w0 group 0; 22-24 MPI_Win_wait w0\n");
  EXPECT_EQ(a.ranks("late-post"), "15 0");
  EXPECT_EQ(a.path("work", "delay-costs-active-target-short-term", 1), 15);
  EXPECT_EQ(a.ranks("direct-waits-one-sided"), "15 0");
}

TEST(DelayCosts, OfALockThatIsHeldLong) {
  // P0's interval: lock 1, work 29, unlock 1; P1's: work 5. So 24 + 1 + 1 = 26, all of the wait from 5 to 31.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Win_lock w0 to 2; 1-30 work; 30-31 MPI_Win_unlock w0 to 2\n"
      "P1 0-5 work; 5-31 MPI_Win_lock w0 to 2; 31-32 MPI_Win_unlock w0 to 2\n"
      "P2 0-40 MPI_Recv from null\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 26 0");
  EXPECT_EQ(a.path("work", "delay-costs-passive-target-short-term", 0), 24);
  EXPECT_EQ(a.total("delay-costs-passive-target"), 26);
}

TEST(DelayCosts, OfAQueueGoBackThroughAllThatWaitAlike) {
  // The lock is held to 30, 50, 70, 110. From 30 to 50 P2, P3 and P4 wait for P1 alone (D 20, W 0), to 70 P3 and P4 for
  // P2 (D 20, W 20: 10 of 20 are indirect), to 110 P4 for P3 (D 40, W 40: 20 of 40). Those 20 go to P3's two waits, 10
  // each. P2 costs 10 * 20 / 40 for the later one, and hands 10 + 10 + 5 to its own wait for P1: with P3's other
  // 10, 35.
  for (unsigned partitions = 1; partitions <= 3; ++partitions) {
    const Analysed a = analyse_text(
        "P0 0-1 MPI_Win_lock w0 to 5; 1-2 MPI_Put w0 to 5; 2-30 MPI_Win_unlock w0 to 5\n"
        "P1 0-3 work; 3-4 MPI_Win_lock w0 to 5; 4-5 MPI_Put w0 to 5; 5-50 MPI_Win_unlock w0 to 5\n"
        "P2 0-3 work; 3-4 MPI_Win_lock w0 to 5; 4-5 MPI_Put w0 to 5; 5-70 MPI_Win_unlock w0 to 5\n"
        "P3 0-3 work; 3-4 MPI_Win_lock w0 to 5; 4-5 MPI_Put w0 to 5; 5-110 MPI_Win_unlock w0 to 5\n"
        "P4 0-3 work; 3-4 MPI_Win_lock w0 to 5; 4-5 MPI_Put w0 to 5; 5-111 MPI_Win_unlock w0 to 5\n"
        "P5 0-120 MPI_Recv from null\n",
        partitions);
    EXPECT_EQ(a.ranks("lock-contention"), "0 25 45 65 105 0");
    EXPECT_EQ(a.ranks("delay-costs-passive-target-short-term"), "100 60 20 20 0 0");
    EXPECT_EQ(a.ranks("delay-costs-passive-target-long-term"), "0 35 5 0 0 0");
    EXPECT_EQ(a.ranks("direct-waits"), "0 25 45 55 75 0");
    EXPECT_EQ(a.ranks("indirect-waits"), "0 0 0 10 30 0");
    EXPECT_EQ(a.ranks("propagating-waits"), "0 0 10 20 0 0");
  }
}

TEST(DelayCosts, OfANonBlockingCollective) {
  // Charged at MPI_Wait from 5 to 30; P1 worked 30, P0 4 and started: 26 explain 25, and the 1 that P0 waits until P1
  // is in MPI_Wait.
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req a; 1-5 work; 5-31 MPI_Wait req a\n"
      "P1 0-30 work; 30-31 MPI_Ibarrier req a; 31-32 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("nonblocking-collective-wait"), "25 0");
  EXPECT_EQ(a.ranks("nonblocking-progress"), "1 0");
  EXPECT_EQ(a.path("work", "delay-costs-nonblocking-short-term", 1), 26);
  EXPECT_EQ(a.ranks("direct-waits-collective"), "26 0");
}

LastSyncPoint point(Nanoseconds time, Nanoseconds partner_time = 0, bool is_group = false) {
  LastSyncPoint made;
  made.time = time;
  made.partner_time = partner_time;
  made.is_group = is_group;
  return made;
}

/// Points at 1, 2, 3, …; the one before t is at t - 1, none before 1.
struct Points {
  int asked = 0;
  std::optional<LastSyncPoint> before(Nanoseconds time) {
    ++asked;
    return time > 1 ? std::optional(point(time - 1)) : std::nullopt;
  }
};

std::optional<LastSyncPoint> search(RejectedPoints& rejected, Points& points, Nanoseconds from) {
  return rejected.skip(0, point(from), [&](const LastSyncPoint& p) { return points.before(p.time); });
}

TEST(RejectedPoints, ThoseThatFollowEachOtherAreJumpedOver) {
  RejectedPoints rejected;
  Points points;
  constexpr Nanoseconds many = 10'000;
  for (Nanoseconds t = 2; t <= many; ++t) rejected.add(0, point(t));
  for (Nanoseconds t = 2; t <= many; ++t) EXPECT_EQ(search(rejected, points, t)->time, 1);
  EXPECT_LE(points.asked, many);  // once for each, not once for each pair
}

TEST(RejectedPoints, WhatIsRejectedLaterIsJumpedOverToo) {
  RejectedPoints rejected;
  Points points;
  for (const Nanoseconds t : {9, 8, 5}) rejected.add(0, point(t));
  EXPECT_EQ(search(rejected, points, 9)->time, 7);
  rejected.add(0, point(7));
  EXPECT_EQ(search(rejected, points, 9)->time, 6);
  rejected.add(0, point(6));
  EXPECT_EQ(search(rejected, points, 8)->time, 4);
  for (const Nanoseconds t : {4, 3, 2, 1}) rejected.add(0, point(t));
  EXPECT_FALSE(search(rejected, points, 9));
}

TEST(RejectedPoints, BelongToOneCauseAndOneKind) {
  RejectedPoints rejected;
  rejected.add(3, point(9, 4));
  const auto stays = [&](cube::LocationId cause, const LastSyncPoint& of) {
    return rejected.skip(cause, of, [](const LastSyncPoint&) { return std::nullopt; }).has_value();
  };
  EXPECT_FALSE(stays(3, point(9, 4)));
  EXPECT_TRUE(stays(2, point(9, 4)));
  EXPECT_TRUE(stays(3, point(9, 5)));
  EXPECT_TRUE(stays(3, point(9, 4, true)));
}

TEST(RejectedPoints, LiveInTheStorage) {
  Storage storage(std::uint64_t{1} << 20);
  const StorageScope scope(&storage);
  RejectedPoints rejected;
  Points points;
  constexpr Nanoseconds many = 100'000;
  for (Nanoseconds t = 2; t <= many; ++t) rejected.add(0, point(t));
  EXPECT_GT(storage.bytes_on_disk(), std::uint64_t{64} * many);
  for (Nanoseconds t = 2; t <= many; t += 97) EXPECT_EQ(search(rejected, points, t)->time, 1);
}

TEST(SyncPoints, ThoseThatDoNotCountAreLookedAtOnce) {
  constexpr cube::LocationId own = 0, partner = 1;
  constexpr Nanoseconds many = 5000;
  SyncPoints all;  // the partner was 5 behind at each but the first
  all.add(own, 1, partner, 1);
  for (Nanoseconds n = 1; n <= many; ++n) all.add(own, 10 * n, partner, 10 * n + 5);
  all.seal();
  Nanoseconds looks = 0;
  const auto never_waits = [&](Nanoseconds time) { return ++looks, time; };
  for (Nanoseconds n = 1; n <= many; ++n) {
    const auto met = all.last(own, partner, 0, 10 * n + 6, nullptr, never_waits);
    ASSERT_TRUE(met);
    ASSERT_EQ(met->time, 1);
  }
  EXPECT_LE(looks, many);
}

}  // namespace
}  // namespace mora::analysis
