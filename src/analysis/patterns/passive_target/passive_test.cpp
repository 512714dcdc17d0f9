/// Passive-target wait states; numbers are worked out by hand.
#include <gtest/gtest.h>

#include "analysis/patterns/passive_target/passive.h"
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace passive_test {

const std::vector<std::string>& metrics() {
  static const std::vector<std::string> ids = {"lock-contention",    "lock-all-contention",
                                               "late-unlock",        "wait-for-progress",
                                               "flush-wait",         "lock-contention-comm",
                                               "late-unlock-comm",   "wait-for-progress-comm",
                                               "request-completion", "atomic-retry",
                                               "atomic-retries",     "atomic-retry-sync",
                                               "rma-transfers",      "rma-bytes"};
  return ids;
}

std::string everything(const Analysed& analysed) {
  std::string text;
  for (const std::string& id : metrics()) text += id + ": " + analysed.ranks(id) + "\n";
  for (const WaitSummary& wait : analysed.result.waits) {
    text += std::to_string(wait.metric) + " @" + std::to_string(wait.worst.location) + " by " +
            std::to_string(wait.worst.cause) + " in " + std::to_string(wait.worst.cause_call_path) + " " +
            std::to_string(wait.worst.begin) + "-" + std::to_string(wait.worst.end) + "\n";
  }
  return text;
}

/// Analyses with 1, 2, 3 and 5 partitions, which must agree.
Analysed analysed(const std::string& body) {
  Analysed one = analyse_text(body, 1);
  for (const unsigned partitions : {2U, 3U, 5U}) EXPECT_EQ(everything(analyse_text(body, partitions)), everything(one));
  return one;
}

const WaitSummary* summary(const Analysed& analysed, const std::string& metric) {
  for (const WaitSummary& wait : analysed.result.waits) {
    if (analysed.result.cube.metrics[wait.metric].id == metric) return &wait;
  }
  return nullptr;
}

// ---- locks -----------------------------------------------------------------------------------------------

TEST(LockContention, KnowsFromAFlushThatTheUnlockReturnedTooLate) {
  // P1's unlock returns after the whole epoch of P2 (seen with MPICH on busy cores); its flush shows that it was first.
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 13-14 MPI_Put w0 to 0; 15-16 MPI_Win_flush w0 to 0; 60-90 MPI_Win_unlock w0 to "
      "0\n"
      "P2 20-70 MPI_Win_lock w0 to 0; 71-72 MPI_Put w0 to 0; 73-75 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 50");  // 70 - 20
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 40");      // 60 - 20
}

TEST(LockContention, KnowsFromAnAccessThatALockOnAllCameLater) {
  // The same with MPI_Win_lock_all, which has the lock of a target that it accesses.
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 13-14 MPI_Put w0 to 0; 15-16 MPI_Win_flush w0 to 0; 60-90 MPI_Win_unlock w0 to "
      "0\n"
      "P2 20-21 MPI_Win_lock_all w0; 22-23 MPI_Put w0 to 0; 24-70 MPI_Win_flush w0 to 0; 73-75 MPI_Win_unlock_all "
      "w0\n");
  EXPECT_EQ(a.ranks("lock-all-contention"), "0 0 46");  // 70 - 24
  const Analysed nothing = analysed(
      "P0 0-100 main\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 13-14 MPI_Put w0 to 0; 15-16 MPI_Win_flush w0 to 0; 60-90 MPI_Win_unlock w0 to "
      "0\n"
      "P2 20-70 MPI_Win_lock_all w0; 73-75 MPI_Win_unlock_all w0\n");
  EXPECT_EQ(nothing.ranks("lock-all-contention"), "0 0 0");  // accessed nothing: need not have had the lock
}

TEST(LockContention, BelievesNoFlushAgainstTheClocks) {
  // P2 would have had the lock before P1 began to unlock: the order of the releases stands.
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 13-14 MPI_Put w0 to 0; 15-16 MPI_Win_flush w0 to 0; 80-90 MPI_Win_unlock w0 to "
      "0\n"
      "P2 20-70 MPI_Win_lock w0 to 0; 71-72 MPI_Put w0 to 0; 73-75 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
}

TEST(LockContention, IsChargedToALockCallThatBlocks) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 14-18 MPI_Put w0 to 0; 40-48 MPI_Win_unlock w0 to 0\n"
      "P2 11-49 MPI_Win_lock w0 to 0; 50-51 MPI_Put w0 to 0; 52-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 37");  // 48 - 11
  EXPECT_EQ(a.path("MPI_Win_lock", "lock-contention", 2), 37);
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 22");  // 40 - 18: the holder was through at 18
  const WaitSummary* wait = summary(a, "lock-contention");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->worst.begin, 11);
  EXPECT_EQ(wait->worst.end, 48);
  EXPECT_EQ(wait->worst.cause, 1U);
  EXPECT_EQ(a.result.cube.call_paths[wait->worst.cause_call_path].name, "MPI_Win_unlock");
}

TEST(LockContention, IsChargedToAnUnlockCallThatBlocks) {  // Open MPI with osc=pt2pt
  const Analysed a = analysed(
      "P0 0-60 main\n"
      "P1 10 ENTER MPI_Win_lock; 11 WLOCK @0 w0; 12 EXIT; 14-18 MPI_Put w0 to 0; 20 ENTER MPI_Win_unlock; 33 WUNLOCK "
      "@0 w0; 34 EXIT\n"
      "P2 9 ENTER MPI_Win_lock; 10 WLOCK @0 w0; 11 EXIT; 13-17 MPI_Put w0 to 0; 19 ENTER MPI_Win_unlock; 24 WUNLOCK @0 "
      "w0; 25 EXIT\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 4 0");  // 24 - 20
  EXPECT_EQ(a.path("MPI_Win_unlock", "lock-contention", 1), 4);
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 0");
}

TEST(LockContention, IsChargedToADataCallThatBlocks) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 20-21 MPI_Put w0 to 0; 40-50 MPI_Win_unlock w0 to 0\n"
      "P2 11-12 MPI_Win_lock w0 to 0; 13-60 MPI_Put w0 to 0; 61-62 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
  EXPECT_EQ(a.ranks("lock-contention-comm"), "0 0 37");  // 50 - 13
  EXPECT_EQ(a.ranks("late-unlock-comm"), "0 0 19");      // 40 - 21
}

TEST(LockContention, TheCallThatWaitedLongestWhileTheUnlockWasOnItsWay) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-50 MPI_Win_unlock w0 to 0\n"
      "P2 10-45 MPI_Win_lock w0 to 0; 46-47 MPI_Put w0 to 0; 48-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.path("MPI_Win_lock", "lock-contention", 2), 35);
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 35");
  EXPECT_EQ(a.ranks("lock-contention-comm"), "0 0 0");
}

TEST(LockContention, ACallThatReturnedBeforeTheUnlockBeganDidNotWait) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-48 MPI_Win_unlock w0 to 0\n"
      "P2 5-6 MPI_Win_lock w0 to 0; 60-62 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
}

TEST(LockContention, SharedEpochsBlockExclusiveOnesAsAGroupAndNotEachOther) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0 shared; 20-30 MPI_Win_unlock w0 to 0\n"
      "P2 2-25 MPI_Win_lock w0 to 0 shared; 26-40 MPI_Win_unlock w0 to 0\n"
      "P3 5-41 MPI_Win_lock w0 to 0; 50-51 MPI_Win_unlock w0 to 0\n"
      "P4 6-52 MPI_Win_lock w0 to 0 shared; 60-61 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0 35 45");  // 40 - 5, 51 - 6
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 0 1 9");        // P2: 25 -> 26; P3: 41 -> 50
}

TEST(LockContention, LocksOfOtherTargetsAndWindowsAreOthers) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-48 MPI_Win_unlock w0 to 0\n"
      "P2 5-49 MPI_Win_lock w1 to 0; 60-62 MPI_Win_unlock w1 to 0\n"
      "P3 5-49 MPI_Win_lock w0 to 2; 60-62 MPI_Win_unlock w0 to 2\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0 0");
}

TEST(LockContention, WindowsAndEpochsAreNotLimited) {  // the anchors' tables hold 50 of each
  std::string holder = "P1", waiter = "P2";
  for (int i = 0; i < 120; ++i) {
    const int t = 100 * i;
    const std::string window = " w" + std::to_string(i % 60) + " to 0";
    const auto call = [&](int begin, int end, const char* name) {
      return (begin == 10 || begin == 11 ? (i == 0 ? " " : "; ") : "; ") + std::to_string(t + begin) + "-" +
             std::to_string(t + end) + " " + name + window;
    };
    holder += call(10, 12, "MPI_Win_lock") + call(40, 48, "MPI_Win_unlock");
    waiter += call(11, 49, "MPI_Win_lock") + call(52, 55, "MPI_Win_unlock");
  }
  const Analysed a = analysed("P0 0-12000 main\n" + holder + "\n" + waiter + "\n");
  EXPECT_EQ(a.total("lock-contention"), 120 * 37);
  EXPECT_EQ(summary(a, "lock-contention")->instances, 120U);
}

TEST(LockContention, ThirdPartiesWaitForTheLastOfAQueue) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 18-20 MPI_Win_unlock w0 to 0\n"
      "P2 5-21 MPI_Win_lock w0 to 0; 38-40 MPI_Win_unlock w0 to 0\n"
      "P3 6-41 MPI_Win_lock w0 to 0; 58-60 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 15 34");
  EXPECT_EQ(a.ranks("late-unlock"),
            "0 0 13 17");  // P2 had the lock from 20 on, and its lock call returned at 21: 38 - 21
  EXPECT_EQ(summary(a, "lock-contention")->worst.cause, 2U);
}

TEST(LockContention, WithoutCheckThereIsNoLock) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-48 MPI_Win_unlock w0 to 0\n"
      "P2 5-49 MPI_Win_lock w0 to 0 assert nocheck; 60-62 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
}

TEST(LockContention, AnEpochThatIsNotClosedBlocksNobodyAndIsCounted) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-48 MPI_Win_sync\n"
      "P2 5-49 MPI_Win_lock w0 to 0; 60-62 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
  EXPECT_EQ(a.quality("incomplete-lock-epoch"), 1U);
}

TEST(LockContention, NothingIsClaimedForACallWithUnrecordedTime) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 40-48 MPI_Win_unlock w0 to 0\n"
      "P2 5 ENTER MPI_Win_lock; 6 RECORDING_OFF; 7 RECORDING_ON; 49 WLOCK @0 w0; 49 EXIT; 60-62 MPI_Win_unlock w0 to "
      "0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0");
}

TEST(LockAllContention, WaitsForTheLastExclusiveEpochOfAnyTarget) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 20-30 MPI_Win_unlock w0 to 0\n"
      "P2 0-1 MPI_Win_lock w0 to 1; 20-40 MPI_Win_unlock w0 to 1\n"
      "P3 5-41 MPI_Win_lock_all w0; 50-51 MPI_Win_unlock_all w0\n"
      "P4 6-8 MPI_Win_lock_all w0; 52-53 MPI_Win_unlock_all w0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 0 35 0");
  EXPECT_EQ(a.ranks("lock-all-contention"), "0 0 0 35 0");
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 0 0 0");
  EXPECT_EQ(summary(a, "lock-contention")->worst.cause, 2U);
}

TEST(LockAllContention, ExclusiveLocksWaitForLockAll) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock_all w0; 5-6 MPI_Put w0 to 0; 7-8 MPI_Put w0 to 2; 30-40 MPI_Win_unlock_all w0\n"
      "P2 3-41 MPI_Win_lock w0 to 0; 50-51 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 37");
  EXPECT_EQ(a.ranks("lock-all-contention"), "0 0 0");
  EXPECT_EQ(a.ranks("late-unlock"), "0 0 24");  // 30 - 6: what P1 did at rank 2 does not matter
}

// ---- progress --------------------------------------------------------------------------------------------

TEST(WaitForProgress, UnlockWaitsUntilTheTargetEntersMpi) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 50-60 MPI_Iprobe; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 13-14 MPI_Put w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("wait-for-progress"), "0 30");
  EXPECT_EQ(a.path("MPI_Win_unlock", "wait-for-progress", 1), 30);
  EXPECT_EQ(a.ranks("wait-for-progress-comm"), "0 0");
  const WaitSummary* wait = summary(a, "wait-for-progress");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->worst.cause, 0U);
  EXPECT_EQ(a.result.cube.call_paths[wait->worst.cause_call_path].name, "MPI_Iprobe");
}

TEST(WaitForProgress, ATargetInMpiOrTooLateOrItselfIsNoCause) {
  const Analysed inside = analysed(
      "P0 0 ENTER main; 5-60 MPI_Barrier; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(inside.ranks("wait-for-progress"), "0 0");
  const Analysed late = analysed(
      "P0 0 ENTER main; 56-60 MPI_Barrier; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(late.ranks("wait-for-progress"), "0 0");
  const Analysed exactly = analysed(
      "P0 0 ENTER main; 55-60 MPI_Barrier; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(exactly.ranks("wait-for-progress"), "0 35");
  const Analysed self =
      analysed("P0 0 ENTER main; 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0; 100 EXIT\nP1 0-1 main\n");
  EXPECT_EQ(self.ranks("wait-for-progress"), "0 0");
}

TEST(WaitForProgress, NothingIsKnownOfAnUnrecordedTarget) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 15 RECORDING_OFF; 45 RECORDING_ON; 50-60 MPI_Barrier; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("wait-for-progress"), "0 0");
}

TEST(WaitForProgress, BeginsWhenTheContentionEnds) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 50-55 MPI_Iprobe; 100 EXIT\n"
      "P1 0-1 MPI_Win_lock w0 to 0; 20-30 MPI_Win_unlock w0 to 0\n"
      "P2 10-60 MPI_Win_lock w0 to 0; 61-62 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("lock-contention"), "0 0 20");
  EXPECT_EQ(a.ranks("wait-for-progress"), "0 0 20");
}

TEST(WaitForProgress, DataCallsOfLockEpochsOnly) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 30-31 MPI_Iprobe; 70-71 MPI_Iprobe; 100 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-35 MPI_Get w0 to 0; 36-37 MPI_Win_unlock w0 to 0; 60-75 MPI_Get w0 to 0\n");
  EXPECT_EQ(a.ranks("wait-for-progress-comm"), "0 10");
}

TEST(WaitForProgress, AnyThreadOfTheTargetMakesProgress) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 50-60 MPI_Iprobe; 100 EXIT\n"
      "P0.1 0 ENTER work; 40-41 MPI_Iprobe; 90 EXIT\n"
      "P1 10-12 MPI_Win_lock w0 to 0; 20-55 MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.total("wait-for-progress"), 20);
}

TEST(FlushWait, IsProgressInFlushesAndGapsForSeveralTargets) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 30-35 MPI_Iprobe; 100 EXIT\n"
      "P1 1-2 MPI_Win_lock_all w0; 3-4 MPI_Put w0 to 0; 5-6 MPI_Put w0 to 2; 20-50 MPI_Win_flush_all w0; 51-52 "
      "MPI_Win_unlock_all w0\n"
      "P2 0 ENTER main; 40-45 MPI_Iprobe; 100 EXIT\n");
  EXPECT_EQ(a.ranks("flush-wait"), "0 15 0");  // 20..30 and 35..40
  EXPECT_EQ(a.ranks("wait-for-progress"), "0 0 0");
}

TEST(FlushWait, AllMeansWhatWasNotFlushedYet) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 30-35 MPI_Iprobe; 100 EXIT\n"
      "P1 1-2 MPI_Win_lock_all w0; 3-4 MPI_Put w0 to 0; 5-6 MPI_Put w0 to 2; 7-8 MPI_Win_flush to 0 w0; 20-50 "
      "MPI_Win_flush_all w0\n"
      "P1 51-52 MPI_Win_unlock_all w0\n"
      "P2 0 ENTER main; 40-45 MPI_Iprobe; 100 EXIT\n");
  EXPECT_EQ(a.ranks("flush-wait"), "0 20 0");  // until rank 2 at 40
}

TEST(RequestCompletion, IsChargedToTheWait) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 30-33 MPI_Iprobe; 100 EXIT\n"
      "P1 0-1 MPI_Win_lock w0 to 0 shared; 2-3 MPI_Rget w0 to 0 bytes 64 req a; 10-40 MPI_Wait req a; 50-51 "
      "MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(a.ranks("request-completion"), "0 20");
  EXPECT_EQ(a.path("MPI_Wait", "request-completion", 1), 20);
  EXPECT_EQ(a.path("MPI_Wait", "one-sided", 1), 30);
  const Analysed test = analysed(
      "P0 0 ENTER main; 30-33 MPI_Iprobe; 100 EXIT\n"
      "P1 0-1 MPI_Win_lock w0 to 0 shared; 2-3 MPI_Rget w0 to 0 bytes 64 req a; 10-40 MPI_Test req a; 50-51 "
      "MPI_Win_unlock w0 to 0\n");
  EXPECT_EQ(test.ranks("request-completion"), "0 0");
}

// ---- atomics and counts ----------------------------------------------------------------------------------

TEST(AtomicRetry, AllAttemptsButTheLast) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock_all w0; 10-12 MPI_Compare_and_swap w0 to 0; 12-13 MPI_Win_flush w0 to 0; 14-17 "
      "MPI_Compare_and_swap w0 to 0\n"
      "P1 17-18 MPI_Win_flush w0 to 0; 19-24 MPI_Compare_and_swap w0 to 0; 30-31 MPI_Win_unlock_all w0\n");
  EXPECT_EQ(a.ranks("atomic-retry"), "0 5");       // 2 + 3
  EXPECT_EQ(a.ranks("atomic-retry-sync"), "0 2");  // 1 + 1
  EXPECT_EQ(a.ranks("atomic-retries"), "0 2");
  EXPECT_EQ(a.ranks("rma-transfers"), "0 3");
}

TEST(AtomicRetry, OtherTargetsOtherCallsAndWorkBetweenEndALoop) {
  const Analysed a = analysed(
      "P0 0-100 main\n"
      "P1 0-1 MPI_Win_lock_all w0; 10-12 MPI_Compare_and_swap w0 to 0; 13-15 MPI_Compare_and_swap w0 to 2; 16-18 "
      "MPI_Get w0 to 2\n"
      "P1 19-21 MPI_Compare_and_swap w0 to 2; 40-41 MPI_Compare_and_swap w0 to 2; 42-43 work; 44-45 "
      "MPI_Compare_and_swap w0 to 2\n"
      "P1 50-51 MPI_Win_unlock_all w0\n"
      "P2 0-100 main\n");
  EXPECT_EQ(a.ranks("atomic-retries"), "0 0 0");
}

TEST(AtomicRetry, LeavesOutWhatIsWaitingForProgress) {
  const Analysed a = analysed(
      "P0 0 ENTER main; 16-17 MPI_Iprobe; 100 EXIT\n"
      "P1 0-1 MPI_Win_lock_all w0; 10-20 MPI_Fetch_and_op w0 to 0; 21-22 MPI_Fetch_and_op w0 to 0; 30-31 "
      "MPI_Win_unlock_all w0\n");
  EXPECT_EQ(a.ranks("wait-for-progress-comm"), "0 6");
  EXPECT_EQ(a.ranks("atomic-retry"), "0 4");
}

TEST(RmaCounts, TransfersAndBytesOfAllEpochs) {
  const Analysed a = analysed(
      "P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1 bytes 80; 4-5 MPI_Get w0 to 1 bytes 40; 6-7 MPI_Win_fence w0\n"
      "P0 8-9 MPI_Put w0 to null bytes 5\n"
      "P1 0-1 MPI_Win_fence w0; 2-3 MPI_Fetch_and_op w0 to 0 bytes 8; 6-7 MPI_Win_fence w0\n");
  EXPECT_EQ(a.ranks("rma-transfers"), "2 1");
  EXPECT_EQ(a.ranks("rma-bytes"), "120 16");
}

TEST(ProgressGaps, AreUnionsInTime) {
  using passive::Progress;
  std::vector<Progress> p = {{40, 45, 2, 0}, {5, 12, 1, 0}, {42, 60, 3, 0}, {70, 80, 4, 0}};
  const auto gaps = passive::progress_gaps(10, 65, p);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].begin, 12);
  EXPECT_EQ(gaps[0].end, 40);
  EXPECT_EQ(gaps[0].by.location, 2U);
}

}  // namespace passive_test
}  // namespace mora::analysis
