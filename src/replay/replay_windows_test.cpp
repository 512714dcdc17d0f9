// Windows, threads and files: every expected number is worked out by hand.
#include "support/analysis/replay_text.h"

namespace mora::replay {
namespace {

TEST(ReplayWindows, CreateFenceAndFreeAreOfAll) {
  const auto r = replay_text(R"(
P0 0-10 w; 10-40 MPI_Win_create w0; 40-45 w; 45-80 MPI_Win_fence w0; 80-90 MPI_Put w0 to 1; 90-95 MPI_Win_fence w0; 95-96 w; 96-99 MPI_Win_free w0; 99-100 w
P1 0-30 w; 30-40 MPI_Win_create w0; 40-70 w; 70-80 MPI_Win_fence w0; 80-95 MPI_Win_fence w0; 95-98 w; 98-99 MPI_Win_free w0; 99-100 w
)");
  // Create 30, fence 30 + 30, fence 60, free at 63, 1.
  EXPECT_EQ(r.ends(), "64 64");
}

TEST(ReplayWindows, AFenceThatEndsNoEpochWaitsForNobody) {
  const auto r = replay_text(R"(
P0 0-10 w; 10-80 MPI_Win_fence w0 assert noprecede; 80-81 w; 81-99 MPI_Win_fence w0; 99-100 w
P1 0-70 w; 70-80 MPI_Win_fence w0 assert noprecede; 80-85 w; 85-99 MPI_Win_fence w0; 99-100 w
)");
  EXPECT_EQ(r.ends(), "76 76");
}

TEST(ReplayWindows, PostStartCompleteWait) {
  // Complete waits for the target's post, wait for the origins' complete.
  const auto r = replay_text(R"(
P0 0-10 w; 10-40 MPI_Win_start w0 group 1; 40-45 w; 45-50 MPI_Put w0 to 1; 50-55 MPI_Win_complete w0; 55-56 w
P1 0-30 w; 30-31 MPI_Win_post w0 group 0,2; 31-33 w; 33-90 MPI_Win_wait w0; 90-91 w
P2 0-60 w; 60-61 MPI_Win_start w0 group 1; 61-65 w; 65-70 MPI_Win_complete w0; 70-71 w
)");
  // P0: complete at 15, post at 30. P2: complete at 64. P1: waits from 32 to 64.
  EXPECT_EQ(r.ends(), "31 65 65");
  EXPECT_EQ(r.node("", 1), "32/32");
  const auto tested = replay_text(R"(
P0 0-50 w; 50-51 MPI_Win_start w0 group 1; 51-55 MPI_Win_complete w0
P1 0-1 MPI_Win_post w0 group 0; 1-5 MPI_Win_test w0; 5-60 MPI_Win_test w0 synex 1; 60-61 w
)");
  EXPECT_EQ(tested.ends(), "50 51");
}

TEST(ReplayWindows, ExclusiveLocksFollowEachOtherWhereTheTraceWaited) {
  // P1 got the lock when P0 gave it back (50), and says so in MPI_Win_lock.
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Win_lock w0 to 2; 11-45 w; 45-50 MPI_Win_unlock w0 to 2; 50-51 w
P1 0-20 w; 20-55 MPI_Win_lock w0 to 2; 55-60 w; 60-65 MPI_Win_unlock w0 to 2; 65-66 w
P2 0-1 w
)")
                .ends(),
            "45 50 1");
  // The lock was not awaited before the call that releases it.
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Win_lock w0 to 2; 11-45 w; 45-50 MPI_Win_unlock w0 to 2; 50-51 w
P1 0-20 w; 20-21 MPI_Win_lock w0 to 2; 21-26 w; 26-65 MPI_Win_unlock w0 to 2; 65-66 w
P2 0-1 w
)")
                .ends(),
            "45 45 1");
}

TEST(ReplayWindows, SharedLocksAreFreeAndExcludeExclusiveOnes) {
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Win_lock w0 to 2 shared; 11-45 w; 45-50 MPI_Win_unlock w0 to 2; 50-51 w
P1 0-20 w; 20-21 MPI_Win_lock w0 to 2 shared; 21-31 w; 31-41 MPI_Win_unlock w0 to 2; 65-66 w
P2 0-30 w; 30-60 MPI_Win_lock w0 to 2; 60-61 MPI_Win_unlock w0 to 2; 61-62 w
)")
                .ends(),
            "45 55 45");  // P0 releases at 44; P1 works 20, 10, 24, 1
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Win_lock_all w0; 11-45 w; 45-50 MPI_Win_unlock_all w0; 50-51 w
P1 0-20 w; 20-50 MPI_Win_lock w0 to 0; 50-55 MPI_Win_flush w0 to 0; 55-60 MPI_Win_unlock w0 to 0; 65-66 w
)")
                .ends(),
            "45 26");
}

TEST(ReplayThreads, BeginAtTheForkAndAreAwaitedAtTheJoin) {
  // P1's message lets P0 fork at 20 instead of 100; its second thread starts 2 later and works 30.
  const auto r = replay_text(R"(
P0 0-100 MPI_Recv from 1; 100 FORK threads 2; 100-110 loop; 140 JOIN; 140-145 w
P0.1 102-132 loop
P1 0-20 w; 20-21 MPI_Send to 0
)");
  // The first thread: 20, kept 40 (loop 10, then 30 waiting for the team as recorded), 5.
  EXPECT_EQ(r.ends(), "65 52 20");
  EXPECT_EQ(r.result.locations[1].begin, 22);
  EXPECT_EQ(r.node("loop", 1), "30/0");
}

TEST(ReplayThreads, CallsOfThreadsReplayAndTheJoinWaitsForThem) {
  const auto r = replay_text(R"(
P0 0 FORK threads 2; 0-10 loop; 20 JOIN; 20-21 w; 40 FORK threads 2; 50 JOIN; 50-51 w
P0.1 0-18 loop; 5-15 MPI_Recv from 1; 42-48 loop
P1 0-15 w; 15-16 MPI_Send to 0
)");
  // Thread: 5, message at 15, 3 -> 18 before the join at 20. Second fork at 40: begins at 42.
  EXPECT_EQ(r.ends(), "51 48 15");
  const auto late = replay_text(R"(
P0 0 FORK threads 2; 0-1 loop; 1-19 MPI_Recv from 1 tag 1; 20 JOIN; 20-21 w
P0.1 0-18 loop
P1 0-1 MPI_Send to 0 tag 1
)");
  // The first thread is at the join at 2; the other works until 18.
  EXPECT_EQ(late.ends(), "19 18 0");
}

TEST(ReplayThreads, CallsOfSeveralThreadsAreNumberedByTheirTimes) {
  // The second thread's message is the first one; P1's threads receive one each.
  const auto r = replay_text(R"(
P0 0-10 w; 10-15 MPI_Send to 1; 15-16 w; 16-20 MPI_Barrier
P0.1 0-5 w; 5-15 MPI_Send to 1; 15-17 w; 30-40 MPI_Barrier; 40-41 w
P1 0-1 MPI_Irecv from 0 req a; 1-20 MPI_Barrier; 20-21 MPI_Wait req a; 21-22 w
P1.1 2-20 MPI_Recv from 0; 20-30 w; 30-40 MPI_Barrier; 40-41 w
)");
  // Posted at 0 by P1, then at 2 by P1.1: messages at 5 and at 10. First barrier: P0 at 11, P1 at 0. Second: P0.1 at
  // 20, P1.1 at 20.
  EXPECT_EQ(r.ends(), "11 21 12 21");
  EXPECT_EQ(r.result.messages, 2U);
  EXPECT_EQ(r.result.collectives, 2U);
  EXPECT_TRUE(r.result.quality.empty());
}

TEST(ReplayThreads, EpochsOfSeveralThreadsKeepTheirRecordedTimes) {
  const auto r = replay_text(R"(
P0 0-1 MPI_Win_post w0 group 1; 1-30 MPI_Win_wait w0; 30-31 w
P0.1 0-1 MPI_Win_post w0 group 1; 1-30 MPI_Win_wait w0; 30-31 w
P1 0-1 MPI_Win_start w0 group 0; 1-2 MPI_Win_complete w0; 2-3 MPI_Win_start w0 group 0; 3-4 MPI_Win_complete w0
)");
  EXPECT_EQ(r.ends(), "30 30 2");
  EXPECT_EQ(r.damage("replay-several-threads"), 4U);
}

TEST(ReplayFiles, CollectiveOperationsLastWhatTheyLastedWithoutTheWaiting) {
  // In the trace all are there at 60 and it takes 20; the ideal network lets P0 come at 10, P1 at 30.
  // In the trace all are there at 60 and it takes 20. P1 waits 40 for a message that the ideal network brings at 10.
  const auto r = replay_text(R"(
comm PAIR = 0,1
P0 0-10 w; 10-11 MPI_Send to 1; 11-81 MPI_File_write_all; 12 IO_START file out id 1 comm PAIR collective; 80 IO_END file out id 1; 81-82 w
P1 0-50 MPI_Recv from 0; 50-60 w; 60-81 MPI_File_write_all; 60 IO_START file out id 1 comm PAIR collective; 79 IO_END file out id 1; 81-82 w
)");
  // P0 arrives at 11, P1 at 20. From 20: 20 (60 to 80), 1 and 1 for P0; 19 (60 to 79), 2 and 1 for P1.
  EXPECT_EQ(r.ends(), "42 42");
  EXPECT_EQ(r.node("", 0), "31/9");  // 1 before and 1 after the operation, 20 of it, 9 waiting
  EXPECT_TRUE(r.result.quality.empty());
  // Alone: all of it.
  EXPECT_EQ(replay_text("P0 0-10 w; 10-11 MPI_File_iwrite; 10 IO_START file out id 1; 11-20 w; 20-80 MPI_Wait; 79 "
                        "IO_END file out id 1; 81-82 w")
                .ends(),
            "82");
  EXPECT_EQ(replay_text("P0 0-10 w; 10-81 MPI_File_write; 12 IO_START file out id 1; 80 IO_END file out id 1; 81-82 w")
                .ends(),
            "82");
}

}  // namespace
}  // namespace mora::replay
