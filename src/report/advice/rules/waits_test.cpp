/// The rules that wait states, delay costs, critical path and POP make possible: each must fire once, and not once.
/// Microseconds.
#include "support/report/advice_sample.h"

namespace mora::report::advice {
namespace {

/// Ranks 1 and 2 wait 30 each for messages and transfer 5; rank 0 has `costs` of 60 of the delay costs, in solve.
Case chain(std::int64_t costs) {
  Case c(3);
  const auto solve = c.user(0, "solve"), receive = c.sample.call(0, "MPI_Recv");
  c.compute(solve, {100, 50, 50});
  c.add("point-to-point", receive, {0, 5, 5});
  c.add("late-sender", receive, {0, 30, 30});
  c.put("delay-costs-late-sender", solve, {costs, 60 - costs, 0});
  c.put("indirect-waits-late-sender", receive, {0, 0, 25});
  return c;
}

// Communication 70, late sender 60, 54 of it rank 0's. Gain: 3 x 100 of the run less 200 of computation, by 3.
TEST(LateSenderChain, OneRankIsTheCause) {
  Case c = chain(54);
  const Conclusion* found = c.find("late-sender-chain");
  expect(found, 54'000, 54.0 / 70, 33'334);
  EXPECT_EQ(found->ranks.front(), 0u);
  EXPECT_EQ(fact(*found, "indirect-waits-late-sender")->amount, 25'000);
  // Rank 0 computes 100, the mean is 66.67: 1.5 times.
  EXPECT_NE(found->what.find("rank 0 computes 1.50 times the mean"), std::string::npos) << found->what;
  EXPECT_NE(found->what.find("solve (a.c:88)"), std::string::npos) << found->what;
}

TEST(LateSenderChain, NotIfManyAreTheCause) {
  Case c = chain(35);
  EXPECT_EQ(c.find("late-sender-chain"), nullptr);
}

// An analysis without causes still knows who was waited for: 40 of 50.
TEST(LateSenderChain, ByWhoWasWaitedFor) {
  Case c = chain(0);
  c.sample = analysis::CubeSample(3);
  const auto receive = c.sample.call(0, "MPI_Recv");
  c.compute(0, {100, 50, 50});
  c.add("late-sender", receive, {0, 30, 30});
  c.cause("late-sender", receive, 0, 40);
  c.cause("late-sender", receive, 1, 10);
  expect(c.find("late-sender-chain"), 40'000, 40.0 / 60, 33'334);
}

/// Rank 1 receives 40, of that 20 in wrong order; in `avoidable` of it it could have worked on another message.
Case wrong_order(std::int64_t avoidable) {
  const std::int64_t waiting = 20;
  Case c(2);
  const auto receive = c.sample.call(0, "MPI_Recv");
  c.compute(0, {100, 60});
  c.add("point-to-point", receive, {0, 40 - waiting});
  c.add("late-sender-wrong-order-different-source", receive, {0, waiting});
  c.cause("late-sender-wrong-order", receive, 0, waiting);
  c.add("late-sender-avoidable", receive, {0, avoidable});
  return c;
}

TEST(WrongOrder, FiresFromAFifth) {
  Case c = wrong_order(8);
  const Conclusion* found = c.find("wrong-order");
  expect(found, 8'000, 0.2 * 0.5, 0);  // rank 0 computes all the time
  EXPECT_EQ(found->ranks, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(found->places.front().label, "MPI_Recv@a.c:7");
}

TEST(WrongOrder, NotIfNoOtherMessageCouldBeTaken) {
  Case c = wrong_order(0);
  EXPECT_EQ(c.find("wrong-order"), nullptr);
}

TEST(WrongOrder, NotBelow) {
  Case c = wrong_order(7);
  EXPECT_EQ(c.find("wrong-order"), nullptr);
}

Case late_receiver(std::int64_t waiting) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Ssend");
  c.compute(0, {60, 100});
  c.add("point-to-point", send, {40 - waiting, 0});
  c.add("late-receiver", send, {waiting, 0});
  c.cause("late-receiver", send, 1, waiting);
  return c;
}

TEST(LateReceiver, FiresAndNames) {
  Case c = late_receiver(32);
  const Conclusion* found = c.find("late-receiver");
  expect(found, 32'000, 0.8, 0);  // rank 1 computes all the time
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{1});
}

TEST(LateReceiver, NotIfItIsTransfer) {
  Case c = late_receiver(4);
  EXPECT_EQ(c.find("late-receiver"), nullptr);
}

Case late_root(std::int64_t waiting) {
  Case c(3);
  const auto broadcast = c.sample.call(0, "MPI_Bcast");
  c.compute(0, {90, 50, 50});
  c.add("collective", broadcast, {10, 50 - waiting, 50 - waiting});
  c.add("late-broadcast", broadcast, {0, waiting, waiting});
  c.cause("late-broadcast", broadcast, 0, 2 * waiting);
  return c;
}

// Communication 110, waiting 80, the rest may go as well: 110 / 3. Rank 0 is the root and computes 90, mean 63.33.
TEST(LateRoot, Fires) {
  Case c = late_root(40);
  const Conclusion* found = c.find("late-root");
  expect(found, 80'000, 80.0 / 110, 36'667);
  EXPECT_EQ(found->ranks.front(), 0u);
  EXPECT_EQ(fact(*found, "computation_above_mean")->amount, 90'000 - 190'000 / 3);
}

TEST(LateRoot, NotIfTheRootIsNotLate) {
  Case c = late_root(10);
  EXPECT_EQ(c.find("late-root"), nullptr);
}

/// One barrier of four processes; the critical path computes `before` in front of the barrier and `after` behind it.
Case critical(std::int64_t before, std::int64_t after) {
  Case c(4);
  const auto solve = c.user(0, "solve"), barrier = c.sample.call(0, "MPI_Barrier");
  c.sample.cube.call_paths.push_back({solve, "compute start -> MPI_Barrier", cube::CallPathKind::compute, "", 0});
  c.sample.cube.call_paths.push_back({solve, "compute MPI_Barrier -> end", cube::CallPathKind::compute, "", 0});
  c.compute(3, {100, 100, 100, 130});
  c.compute(4, {69, 68, 69, 67});
  c.add("barrier", barrier, {1, 2, 1, 3});
  c.add("wait-at-barrier", barrier, {30, 30, 30, 0});
  c.put("critical-path", 3, {0, 0, 0, before});
  c.put("critical-path", 4, {after, 0, 0, 0});
  return c;
}

// 130 + 67 = 197 in solve, the mean 703 / 4 = 175.75: 21.25 of 200 run time; times 4 processes 85 of 97. All wait 90:
// gain 90 / 4.
TEST(CriticalPath, Imbalance) {
  Case c = critical(130, 67);
  const Conclusion* found = c.find("critical-path");
  expect(found, 85'000, 85.0 / 97 * 85 / 97, 22'500);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{3});
  EXPECT_EQ(found->places.front().label, "compute start -> MPI_Barrier in solve");
  EXPECT_EQ(found->places.front().site.line, 88u);  // of the region around it
  EXPECT_EQ(c.rules(), "rule-3 critical-path");     // the general one behind the cause
}

// What one stretch has above its mean the other one lacks: 100 + 77, 1.25 more than the mean.
TEST(CriticalPath, NotIfItIsShort) {
  Case c = critical(130, 47);
  EXPECT_EQ(c.find("critical-path"), nullptr);
}

/// 40 of computation and 20 of a barrier on 2 ranks.
Case in_turn(bool is_waiting) {
  Case c(2);
  const auto barrier = c.sample.call(0, "MPI_Barrier");
  c.compute(0, {40, 40});
  c.add(is_waiting ? "wait-at-barrier" : "barrier", barrier, {20, 20});
  return c;
}

// All 20 are waiting: 60 even on an ideal network, 40 of computation; serialisation 2/3.
TEST(Serialisation, WaitingInTurn) {
  Case c = in_turn(true);
  const Conclusion* found = c.find("serialisation");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->explained, 40'000);
  EXPECT_EQ(found->gain, 20'000);
  EXPECT_NEAR(found->measure, 1.0 / 3, 1e-9);
  EXPECT_NEAR(found->confidence, 1, 1e-9);
  EXPECT_EQ(fact(*found, "ideal_time")->amount, 60'000);
}

TEST(Serialisation, NotIfItIsTransfer) {
  Case c = in_turn(false);
  EXPECT_EQ(c.find("serialisation"), nullptr);
  EXPECT_NE(c.find("rule-12"), nullptr);
}

Case polling(std::int64_t time) {
  Case c(2);
  const auto test = c.sample.call(0, "MPI_Test"), send = c.sample.call(0, "MPI_Send");
  c.compute(0, {60, 60});
  c.add("polling", test, {time, 0});
  c.add("polling-calls", test, {1000, 0});
  c.add("point-to-point", send, {40 - time, 40});
  return c;
}

// 20 of 80; gain 20 / 2.
TEST(Polling, Fires) {
  Case c = polling(20);
  const Conclusion* found = c.find("polling");
  expect(found, 20'000, 0.25 * 0.25 / 0.4, 10'000);
  EXPECT_EQ(fact(*found, "polling-calls")->amount, 1000);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
}

TEST(Polling, NotIfItIsLittle) {
  Case c = polling(10);
  EXPECT_EQ(c.find("polling"), nullptr);
}

Case hot_loop(std::int64_t calls_of_rank_1) {
  Case c(2);
  const auto reduce = c.sample.call(0, "MPI_Allreduce");
  c.compute(0, {60, 60});
  c.add("collective", reduce, {30, 30});
  c.add("wait-at-nxn", reduce, {10, 10});
  c.add("visits", reduce, {200, calls_of_rank_1});
  return c;
}

// 80 in it, of that 20 waiting: 60 of 80 are its own.
TEST(CollectivesInLoops, Fires) {
  Case c = hot_loop(150);
  const Conclusion* found = c.find("collectives-in-loops");
  expect(found, 60'000, 0.75, 40'000);
  EXPECT_EQ(fact(*found, "visits")->amount, 150);
  EXPECT_EQ(fact(*found, "waiting")->amount, 20'000);
}

TEST(CollectivesInLoops, NotIfSomebodyCallsItSeldom) {
  Case c = hot_loop(99);
  EXPECT_EQ(c.find("collectives-in-loops"), nullptr);
}

// 30 in MPI_Init on each of 2, nobody waits: MPI without communication.
TEST(StartUp, Fires) {
  Case c(2);
  const auto init = c.sample.call(0, "MPI_Init");
  c.compute(0, {70, 70});
  c.add("init-finalize", init, {30, 30});
  expect(c.find("start-up"), 60'000, 1.0, 30'000);
}

// What looks like a long MPI_Finalize is waiting: communication, and an imbalance.
TEST(StartUp, NotIfItIsWaiting) {
  Case c(2);
  const auto finalize = c.sample.call(0, "MPI_Finalize");
  c.compute(0, {40, 100});
  c.add("wait-at-finalize", finalize, {60, 0});
  EXPECT_EQ(c.find("start-up"), nullptr);
  expect(c.find("rule-3"), 60'000, 1.0, 30'000);
}

Case communicators(std::int64_t init) {
  Case c(2);
  const auto split = c.sample.call(0, "MPI_Comm_split"), start = c.sample.call(0, "MPI_Init");
  c.compute(0, {70, 70});
  c.add("mpi-communicator", split, {30, 30});
  c.add("visits", split, {50, 50});
  c.add("init-finalize", start, {init, init});
  return c;
}

TEST(Communicators, Fires) {
  Case c = communicators(0);
  const Conclusion* found = c.find("communicators");
  expect(found, 60'000, 1.0, 30'000);
  EXPECT_EQ(fact(*found, "visits")->amount, 100);
}

TEST(Communicators, NotIfStartUpIsMore) {
  Case c = communicators(31);
  EXPECT_EQ(c.find("communicators"), nullptr);
}

Case recorded(std::int64_t overhead) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Send");
  c.compute(0, {80 - overhead, 80 - overhead});
  c.add("point-to-point", send, {20, 20});
  c.add("overhead", 0, {overhead, overhead});
  return c;
}

TEST(Recording, CostsTooMuch) {
  Case c = recorded(15);
  expect(c.find("recording"), 30'000, 1.0, 0);
}

TEST(Recording, NotBelowTheSmallestLoss) {
  Case c = recorded(1);
  EXPECT_EQ(c.find("recording"), nullptr);
}

/// One-sided: rank 1 spends 40 in a call, of that `waiting` by `metric`. Rank 0 computes all the time: no gain.
Case one_sided(const char* call, const char* metric, std::int64_t waiting) {
  Case c(2);
  const auto path = c.sample.call(0, call);
  c.compute(0, {100, 60});
  c.add(metric, path, {0, waiting});
  const auto put = c.sample.call(0, "MPI_Put");
  c.add("one-sided", put, {0, 40 - waiting});
  c.cause(metric, path, 0, waiting);
  return c;
}

TEST(LockContention, FiresWithLateUnlock) {
  Case c = one_sided("MPI_Win_lock", "late-unlock", 30);
  c.cause("lock-contention", 1, 0, 30);
  const Conclusion* found = c.find("lock-contention");
  expect(found, 30'000, 0.75, 0);
  EXPECT_EQ(fact(*found, "late-unlock")->amount, 30'000);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
}

TEST(LockContention, NotIfTheLockIsFree) {
  Case c = one_sided("MPI_Win_lock", "lock-contention", 7);
  EXPECT_EQ(c.find("lock-contention"), nullptr);
}

Case fences(std::int64_t unneeded) {
  Case c = one_sided("MPI_Win_fence", "wait-at-fence", 30);
  const cube::CallPathId fence = 1;
  c.put("pairwise-synchronizations", fence, {10, 10});
  c.put("pairwise-synchronizations-unneeded", fence, {unneeded, unneeded});
  return c;
}

TEST(RmaFences, PairsThatExchangeNothing) {
  Case c = fences(5);
  const Conclusion* found = c.find("rma-fences");
  expect(found, 30'000, 0.75, 0);
  EXPECT_EQ(fact(*found, "pairwise-synchronizations-unneeded")->amount, 10);
}

TEST(RmaFences, NotIfMostPairsExchange) {
  Case c = fences(4);
  EXPECT_EQ(c.find("rma-fences"), nullptr);
}

TEST(RmaEpochs, LateComplete) {
  Case c = one_sided("MPI_Win_wait", "late-complete", 30);
  const Conclusion* found = c.find("rma-epochs");
  expect(found, 30'000, 0.75, 0);
  EXPECT_EQ(fact(*found, "late-complete_part")->amount, 30'000);
  EXPECT_EQ(fact(*found, "early-wait_part")->amount, 30'000);
  EXPECT_EQ(fact(*found, "late-post_part"), nullptr);
}

TEST(RmaEpochs, NotForTransfer) {
  Case c = one_sided("MPI_Win_wait", "early-wait", 5);
  EXPECT_EQ(c.find("rma-epochs"), nullptr);
}

TEST(RmaProgress, TargetComputes) {
  Case c = one_sided("MPI_Win_flush", "flush-wait", 30);
  const Conclusion* found = c.find("rma-progress");
  expect(found, 30'000, 0.75, 0);
  EXPECT_EQ(found->ranks, std::vector<std::uint32_t>{0});
}

TEST(RmaProgress, NotForTransfer) {
  Case c = one_sided("MPI_Win_flush", "wait-for-progress", 5);
  EXPECT_EQ(c.find("rma-progress"), nullptr);
}

}  // namespace
}  // namespace mora::report::advice
