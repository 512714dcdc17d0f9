/// Losses of small traces, divided by hand.
#include "report/losses/losses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/metric_info.h"
#include "report/findings/findings.h"
#include "support/analysis/analyze_text.h"

namespace mora::report {
namespace {

ReportData losses_of(const std::string& trace) { return build_report(analysis::analyse_text(trace).result, {}); }

/// "kind amount ranks call": of each cause.
std::string told(const std::vector<LossCause>& causes) {
  std::string text;
  for (const LossCause& cause : causes) {
    text += (text.empty() ? "" : "; ") + cause.kind + ' ' + std::to_string(cause.amount) + " r";
    for (const std::uint32_t rank : cause.ranks) text += std::to_string(rank);
    if (!cause.call_path.empty()) text += ' ' + cause.call_path.back();
  }
  return text;
}

/// Ten rounds of computation and MPI_Barrier; `work` gives both ranks' computation in each.
template <class Work>
std::string rounds(const Work& work) {
  std::string p[2] = {"P0 ", "P1 "};
  int time = 0;
  for (int i = 0; i < 10; ++i) {
    const auto [first, second] = work(i);
    const int enter[2] = {time + first, time + second};
    time += std::max(first, second) + 1;
    for (int r = 0; r < 2; ++r)
      p[r] += (i == 0 ? "" : "; ") + std::to_string(enter[r]) + "-" + std::to_string(time) + " MPI_Barrier";
  }
  return p[0] + "\n" + p[1] + "\n";
}

/// P1 computes 10 - 90, with `ran` of CPU time and `queued` in the run queue; P0 waits 70 for it.
std::string main_cause_with_core(int ran, int queued, int queued_while_waiting = 0,
                                 const std::string& processors = "") {
  ReportData data = losses_of(
      "P0 0-10 MPI_Barrier; 10 METRIC RUN_QUEUE_WAIT 0; 20-100 MPI_Barrier; 100 METRIC RUN_QUEUE_WAIT " +
      std::to_string(queued_while_waiting) +
      "\nP1 0-10 MPI_Barrier; 10 METRIC CPU_TIME 0; 10 METRIC RUN_QUEUE_WAIT 0; 90 METRIC CPU_TIME " +
      std::to_string(ran) + "; 90 METRIC RUN_QUEUE_WAIT " + std::to_string(queued) + "; 90-100 MPI_Barrier\n");
  data.run.more["processors"] = processors;
  return main_cause(data);
}

TEST(Losses, SayWhetherTheGuiltyRankHadACore) {
  const std::string ran = main_cause_with_core(80, 0), slept = main_cause_with_core(20, 0),
                    queued = main_cause_with_core(70, 10), some = main_cause_with_core(80, 0, 100),
                    most = main_cause_with_core(80, 0, 150), waited_anyway = main_cause_with_core(80, 0, 70);
  EXPECT_TRUE(ran.starts_with("Rank 1 makes others wait")) << ran;
  EXPECT_TRUE(ran.ends_with("It had its core all the time.")) << ran;
  EXPECT_TRUE(slept.ends_with("In 75.00 % of that time it did not run, but slept or waited (for a file, for memory)."))
      << slept;
  EXPECT_TRUE(queued.ends_with("In 12.50 % of that time it had no core, because others ran on its cores.")) << queued;
  EXPECT_NE(some.find(" But: The processes had no core for 100 ns, 50.00 % of all ranks' time"), std::string::npos)
      << some;
  EXPECT_TRUE(most.starts_with("The processes had no core for 150 ns, 75.00 % of all ranks' time")) << most;
  EXPECT_NE(most.find("As it ran: Rank 1 makes others wait"), std::string::npos) << most;
  EXPECT_EQ(waited_anyway, ran);
  const std::string shared = main_cause_with_core(80, 0, 150, "2 processes share processor 0 of n1");
  EXPECT_NE(shared.find("75.00 % of all ranks' time. 2 processes share processor 0 of n1. Start fewer, bind each"),
            std::string::npos)
      << shared;
}

/// As main_cause_with_core(), in us: P1 is in the kernel for `in_kernel` of its 80, with `faults` and `switches` of
/// both kinds.
std::string main_cause_with_kernel(int in_kernel, int faults, int ran = 80, int queued = 0, int switches = 0) {
  constexpr int us = 1000;
  const std::pair<const char*, int> counters[] = {{"CPU_TIME", ran * us},           {"RUN_QUEUE_WAIT", queued * us},
                                                  {"KERNEL_TIME", in_kernel * us},  {"PAGE_FAULTS", faults},
                                                  {"VOLUNTARY_SWITCHES", switches}, {"INVOLUNTARY_SWITCHES", switches}};
  std::string before, after;
  for (const auto& [name, value] : counters) {
    before += fmt::format("10000 METRIC {} 0; ", name);
    after += fmt::format("90000 METRIC {} {}; ", name, value);
  }
  return main_cause(losses_of("P0 0-10000 MPI_Barrier; 20000-100000 MPI_Barrier\nP1 0-10000 MPI_Barrier; " + before +
                              after + "90000-100000 MPI_Barrier\n"));
}

TEST(Losses, SayWhatTheGuiltyRankDidInTheKernel) {
  const auto ends = [](const std::string& text, const std::string& end) { EXPECT_TRUE(text.ends_with(end)) << text; };
  ends(main_cause_with_kernel(0, 100), " It had its core all the time.");
  ends(main_cause_with_kernel(60, 40),
       " It had its core all the time. In 75.00 % of that time it was in the kernel, with at least 40 page faults: it "
       "touches "
       "memory for the first time, or again after it was given back. Allocate it once.");
  ends(main_cause_with_kernel(60, 2),
       " In 75.00 % of that time it was in the kernel (files, memory, other system calls; at least 2 page faults).");
  ends(main_cause_with_kernel(0, 0, 20, 0, 7),
       "In 75.00 % of that time it did not run, but slept or waited (for a file, for memory), at least 7 times.");
  const std::string queued = main_cause_with_kernel(0, 0, 40, 40, 1);
  EXPECT_NE(queued.find("In 50.00 % of that time it had no core, because others ran on its cores, at least 1 time "
                        "after a core was taken from it. But: The processes had no core for 40"),
            std::string::npos)
      << queued;
}

TEST(Losses, BindingThatDiffersIsTold) {
  ReportData data = losses_of("P0 0-10 MPI_Barrier; 20-100 MPI_Barrier\nP1 0-10 MPI_Barrier; 90-100 MPI_Barrier\n");
  const std::string before = main_cause(data);
  data.run.more["binding"] =
      "the processes of n1 are bound to different numbers of processors: rank 0 to 2, rank 1 to 1";
  EXPECT_EQ(main_cause(data), before +
                                  " The processes of n1 are bound to different numbers of processors: rank 0 to 2, "
                                  "rank 1 to 1. Bind all alike, unless they have different work.");
}

TEST(Losses, AGrowingDelayIsNamedAsSuch) {
  // The first stretch begins with the program; nine follow: 110, 120 … 190.
  const ReportData data = losses_of(rounds([](int i) { return std::pair(10, 100 + 10 * i); }));
  const LossCause& cause = data.losses.causes.front();
  EXPECT_EQ(cause.ranks, std::vector<std::uint32_t>{1});
  ASSERT_FALSE(cause.trend) << "it grows, but most of it is the constant 100";
  const ReportData steep = losses_of(rounds([](int i) { return std::pair(10, 10 + 20 * i); }));
  const std::optional<LossTrend>& trend = steep.losses.causes.front().trend;
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->kind, "growing");
  EXPECT_EQ(trend->from, 30);
  EXPECT_EQ(trend->to, 190);
  EXPECT_EQ(trend->executions, 9U);
  EXPECT_NE(main_cause(steep).find("grows, from 30 ns in the first to 190 ns in the last of 9"), std::string::npos)
      << main_cause(steep);
}

TEST(Losses, ASingleIterationThatStandsOutIsNamedAsSuch) {
  const ReportData data = losses_of(rounds([](int i) { return std::pair(10 + i % 2, i == 6 ? 500 : 10 + i % 3); }));
  const std::optional<LossTrend>& trend = data.losses.causes.front().trend;
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->kind, "outlier");
  EXPECT_EQ(trend->number, 6U);
  EXPECT_EQ(trend->to, 500);
  EXPECT_NE(main_cause(data).find("once, in execution 6 of 9, it computes 500 ns instead of 11 ns"), std::string::npos)
      << main_cause(data);
}

TEST(Losses, ADelayInEverySecondIterationIsNamedAsSuch) {
  // Nine executions after the first: 210 in those with an odd number, 10 in the others.
  const ReportData data = losses_of(rounds([](int i) { return std::pair(10, i % 2 == 0 ? 210 : 10); }));
  const std::optional<LossTrend>& trend = data.losses.causes.front().trend;
  ASSERT_TRUE(trend);
  EXPECT_EQ(trend->kind, "alternating");
  EXPECT_EQ(trend->from, 10);
  EXPECT_EQ(trend->to, 210);
  EXPECT_NE(main_cause(data).find("alternates between 10 ns and 210 ns, in 9 executions"), std::string::npos)
      << main_cause(data);
  // If the others alternate alike, it is the code that takes turns (a call site that is passed twice in each step).
  const auto alike = rounds([](int i) { return i % 2 == 0 ? std::pair(110, 210) : std::pair(10, 20); });
  EXPECT_FALSE(losses_of(alike).losses.causes.front().trend);
  // What alternates by less than half of the mean is steady.
  EXPECT_FALSE(
      losses_of(rounds([](int i) { return std::pair(10, i % 2 == 0 ? 110 : 80); })).losses.causes.front().trend);
}

TEST(Losses, ASteadyDelayHasNoTrend) {
  const ReportData data = losses_of(rounds([](int i) { return std::pair(10, 100 + i % 3); }));
  EXPECT_FALSE(data.losses.causes.front().trend);
}

TEST(Losses, OfAMiddlemanBelongToTheFirstDelay) {
  const ReportData data = losses_of(
      "P0 0-30 MPI_Send to null; 30-30 MPI_Send to 1\n"
      "P1 0-0 MPI_Send to null; 0-30 MPI_Recv from 0; 30-31 MPI_Send to 2\n"
      "P2 0-0 MPI_Send to null; 0-31 MPI_Recv from 1\n");
  // P1 waits 30 for P0, P2 waits 30 for P1, which only passed it on: 60 for P0's first call, and 30 + 1 + 1 in MPI.
  EXPECT_EQ(data.losses.focus, 92);
  EXPECT_EQ(data.losses.lost, 92);
  EXPECT_EQ(told(data.losses.causes), "transfer 91 r0 MPI_Send; transfer 1 r2 MPI_Recv");
}

TEST(Losses, OfBothSidesOfMessagesNameTheRanksOfBoth) {
  // 30 in the send and 30 in the receive, neither of them waiting.
  const ReportData data = losses_of("P0 0-30 MPI_Send to 1\nP1 0-30 MPI_Recv from 0\n");
  ASSERT_EQ(data.losses.causes.size(), 1U);
  EXPECT_EQ(data.losses.causes.front().with, std::vector<std::string>{"MPI_Recv"});
  EXPECT_EQ(data.losses.causes.front().ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_NE(main_cause(data).find("MPI_Send by rank 0 and MPI_Recv"), std::string::npos) << main_cause(data);
}

/// Of MPI_Wait (20-50): the computation (10-20) since `start` (0-10).
Nanoseconds overlappable_after(const std::string& start, const std::string& other) {
  const ReportData data =
      losses_of("P0 0-10 MPI_" + start + " req a; 20-50 MPI_Wait req a\nP1 0-50 MPI_" + other + "\n");
  for (const LossCause& cause : data.losses.causes)
    if (cause.call_path.back() == "MPI_Wait") return cause.overlappable;
  return -1;
}

TEST(Losses, TheTableSaysWhichCallsStartMessages) {
  EXPECT_EQ(overlappable_after("Isend to 1", "Recv from 0"), 10);
  EXPECT_EQ(overlappable_after("Rput w0 to 1 bytes 8", "Send to null"), 10);
}

TEST(Losses, OfOneRankInOneFunctionAreOneCause) {
  // P1 computes 10 longer before each of two different calls.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-20 MPI_Allreduce; 30-40 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 20-20 MPI_Allreduce; 40-40 MPI_Barrier\n");
  EXPECT_EQ(told(data.losses.causes), "delay 20 r1 compute MPI_Barrier -> MPI_Allreduce");
  EXPECT_EQ(data.losses.causes.front().longer, 20);  // in both stretches
}

TEST(Losses, OfTheFirstExecutionBelongToTheOthers) {
  // P1 computes 20 longer before each barrier of step; when step was called first nothing tells, so that is main's
  // time.
  const std::string after =
      "41-61 main>step>MPI_Barrier@a.c:9; 71-91 main>step>MPI_Barrier@a.c:9; 92-93 main>MPI_Barrier@a.c:3\n";
  const ReportData data =
      losses_of("P0 0-1 main>MPI_Barrier@a.c:1; 11-31 main>step>MPI_Barrier@a.c:9; " + after +
                "P1 0-1 main>MPI_Barrier@a.c:1; 31-31 main>step>MPI_Barrier@a.c:9; 61-61 main>step>MPI_Barrier@a.c:9; "
                "91-91 main>step>MPI_Barrier@a.c:9; 92-93 main>MPI_Barrier@a.c:3\n");
  ASSERT_FALSE(data.losses.causes.empty());
  const LossCause& cause = data.losses.causes.front();
  EXPECT_EQ(cause.amount, 60) << told(data.losses.causes);
  EXPECT_EQ(cause.ranks, std::vector<std::uint32_t>{1});
  EXPECT_EQ(cause.longer, 60);
  const std::string text = main_cause(data);
  EXPECT_NE(text.find("in step"), std::string::npos) << text;
  EXPECT_NE(text.find("Part of it arises between MPI_Barrier (a.c:1) and MPI_Barrier (a.c:9)."), std::string::npos)
      << text;
}

TEST(Losses, OfTheFirstExecutionBelongToTheOthersOfSeveralRanks) {
  // P2 and P3 compute 20 longer before each barrier of step: those before the first one are main's time.
  const std::string early =
                        "0-1 main>MPI_Barrier@a.c:1; 11-31 main>step>MPI_Barrier@a.c:9; "
                        "41-61 main>step>MPI_Barrier@a.c:9; 71-91 main>step>MPI_Barrier@a.c:9\n",
                    late =
                        "0-1 main>MPI_Barrier@a.c:1; 31-31 main>step>MPI_Barrier@a.c:9; "
                        "61-61 main>step>MPI_Barrier@a.c:9; 91-91 main>step>MPI_Barrier@a.c:9\n";
  const ReportData data = losses_of("P0 " + early + "P1 " + early + "P2 " + late + "P3 " + late);
  const LossCause& cause = data.losses.causes.front();
  EXPECT_EQ(cause.amount, 120) << told(data.losses.causes);
  EXPECT_EQ(cause.ranks, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(cause.longer, 60);
  const std::string text = main_cause(data);
  EXPECT_NE(text.find("they compute longer than the others do"), std::string::npos) << text;
  EXPECT_NE(text.find("Part of it arises between MPI_Barrier (a.c:1) and MPI_Barrier (a.c:9)."), std::string::npos)
      << text;
}

TEST(Losses, OfTheFirstExecutionBelongToThoseWhoAreLateInTurn) {
  // P0, P1, P0, P1 and P0 compute 20 longer before the barriers of step.
  const ReportData data = losses_of(
      "P0 0-1 main>MPI_Barrier@a.c:1; 31-31 main>step>MPI_Barrier@a.c:9; 41-61 main>step>MPI_Barrier@a.c:9; "
      "91-91 main>step>MPI_Barrier@a.c:9; 101-121 main>step>MPI_Barrier@a.c:9; 151-151 main>step>MPI_Barrier@a.c:9\n"
      "P1 0-1 main>MPI_Barrier@a.c:1; 11-31 main>step>MPI_Barrier@a.c:9; 61-61 main>step>MPI_Barrier@a.c:9; "
      "71-91 main>step>MPI_Barrier@a.c:9; 121-121 main>step>MPI_Barrier@a.c:9; 131-151 main>step>MPI_Barrier@a.c:9\n");
  EXPECT_EQ(told(data.losses.causes), "delay 100 r01 compute MPI_Barrier@a.c:9 -> MPI_Barrier@a.c:9");
  const std::string text = main_cause(data);
  EXPECT_NE(text.find("compute longer in turn"), std::string::npos) << text;
}

TEST(Losses, AboveOneHundredthAreAllListed) {
  // Waiting of 30 % in three barriers, 10 % for each rank: no rank has most of it, and nothing is below a threshold.
  const ReportData data = losses_of(
      "P0 0-30 f; 30-30 MPI_Barrier; 30-50 f; 50-60 MPI_Barrier; 60-80 f; 80-90 MPI_Barrier\n"
      "P1 0-20 f; 20-30 MPI_Barrier; 30-60 f; 60-60 MPI_Barrier; 60-80 f; 80-90 MPI_Barrier\n"
      "P2 0-20 f; 20-30 MPI_Barrier; 30-50 f; 50-60 MPI_Barrier; 60-90 f; 90-90 MPI_Barrier\n");
  EXPECT_EQ(data.losses.lost, 60);
  EXPECT_EQ(told(data.losses.causes), "delay 60 r012 f");
  EXPECT_NE(verdict(data).find("Load imbalance in f makes ranks wait for 60 ns"), std::string::npos) << verdict(data);
}

TEST(Losses, OfWorkOneAfterTheOtherAreSerial) {
  // Each rank works 10 while the other two wait: 3 x 10 x 2, and nothing else.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-10 MPI_Send to 1; 10-30 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 0-10 MPI_Recv from 0; 20-20 MPI_Send to 2; 20-30 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 0-20 MPI_Recv from 1; 30-30 MPI_Barrier\n");
  EXPECT_EQ(data.losses.lost, 60);
  ASSERT_EQ(data.losses.causes.size(), 1U) << told(data.losses.causes);
  EXPECT_EQ(data.losses.causes.front().kind, "serial");
  EXPECT_EQ(data.losses.causes.front().amount, 60);
  EXPECT_NE(verdict(data).find("work one after the other"), std::string::npos) << verdict(data);
}

TEST(Losses, OfSerialWorkNameTheLastOfTheChainToo) {
  // Each works 10; P3, the last, a little longer, and it leaves by another call than the others: the barrier.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-10 MPI_Send to 1; 10-42 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 0-10 MPI_Recv from 0; 20-20 MPI_Send to 2; 20-42 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 0-20 MPI_Recv from 1; 30-30 MPI_Send to 3; 30-42 MPI_Barrier\n"
      "P3 0-0 MPI_Barrier; 0-30 MPI_Recv from 2; 42-42 MPI_Barrier\n");
  ASSERT_FALSE(data.losses.causes.empty());
  EXPECT_EQ(data.losses.causes.front().kind, "serial");
  EXPECT_EQ(data.losses.causes.front().amount, data.losses.lost) << told(data.losses.causes);
  EXPECT_EQ(data.losses.causes.front().ranks.size(), 4U) << told(data.losses.causes);
}

TEST(Losses, OfALockThatAllWantAreOneCause) {
  // Three rounds; in each all ranks ask P0's window for the lock at once and hold it for 10, every time in another
  // order.
  std::string p[3] = {"P0 0-1 MPI_Barrier", "P1 0-1 MPI_Barrier", "P2 0-1 MPI_Barrier"};
  for (int round = 0; round < 3; ++round) {
    const int asked = 1 + 40 * round;
    for (int i = 0; i < 3; ++i) {
      const int got = asked + 1 + 11 * i;
      const auto call = [](int begin, int end, const char* name) {
        return "; " + std::to_string(begin) + "-" + std::to_string(end) + " " + name;
      };
      p[(round + i) % 3] += call(asked, got, "MPI_Win_lock w0 to 0") + call(got + 1, got + 2, "MPI_Put w0 to 0") +
                            call(got + 10, got + 11, "MPI_Win_unlock w0 to 0") +
                            call(got + 11, asked + 39, "MPI_Barrier");
    }
  }
  const ReportData data = losses_of(p[0] + "\n" + p[1] + "\n" + p[2] + "\n");
  ASSERT_FALSE(data.losses.causes.empty());
  const LossCause& cause = data.losses.causes.front();
  EXPECT_EQ(cause.kind, "lock");
  EXPECT_EQ(cause.ranks.size(), 3U);
  EXPECT_EQ(cause.target, 0U);
  EXPECT_TRUE(verdict(data).starts_with("A lock on the window of rank 0 makes ranks wait one after the other"))
      << verdict(data);
}

TEST(Losses, OfAReceiverOfOneMessageAfterTheOther) {
  // P0 computes 10 after each message; P1 and P2 wait until theirs is taken.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-11 MPI_Recv@a.c:3 from 1; 21-22 MPI_Recv@a.c:3 from 2; 32-33 MPI_Recv@a.c:3 from 1; "
      "43-44 MPI_Recv@a.c:3 from 2\n"
      "P1 0-0 MPI_Barrier; 10-11 MPI_Ssend to 0; 11-33 MPI_Ssend to 0\n"
      "P2 0-0 MPI_Barrier; 10-22 MPI_Ssend to 0; 22-44 MPI_Ssend to 0\n");
  EXPECT_TRUE(verdict(data).starts_with("Rank 0 takes one message after the other and makes others wait for"))
      << verdict(data);
}

TEST(Losses, OfAnExchangeIsNoReceiverOfOneMessageAfterTheOther) {
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-20 MPI_Sendrecv@a.c:3 to 1 from 1; 21-40 MPI_Sendrecv@a.c:3 to 1 from 1\n"
      "P1 0-0 MPI_Barrier; 19-20 MPI_Sendrecv@a.c:3 to 0 from 0; 39-40 MPI_Sendrecv@a.c:3 to 0 from 0\n");
  EXPECT_TRUE(verdict(data).starts_with("Rank 1 makes others wait for")) << verdict(data);
}

TEST(Losses, OfMessagesInTheWrongOrderAreOneCause) {
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 0-30 MPI_Recv@a.c:3 from 1; 50-50 MPI_Recv@a.c:3 from 2; 70-70 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 30-30 MPI_Send to 0; 50-70 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 5-5 MPI_Send to 0; 50-70 MPI_Barrier\n");
  EXPECT_EQ(told(data.losses.causes),
            "receive-order 60 r0 MPI_Recv@a.c:3; delay 10 r1 compute MPI_Barrier -> MPI_Send");
  EXPECT_TRUE(verdict(data).starts_with("Rank 0 takes messages in the wrong order, which costs 60 ns"))
      << verdict(data);
}

TEST(Losses, OfStartAndEndAreNotNamedFirstIfTheyAreLittle) {
  // 20 of 1000 are lost because P1 starts late, 3 because it computes longer afterwards.
  const ReportData data = losses_of(
      "P0 0-30 MPI_Init; 30-430 f; 430-433 MPI_Barrier; 433-500 MPI_Finalize\n"
      "P1 20-30 MPI_Init; 30-433 f; 433-433 MPI_Barrier; 433-500 MPI_Finalize\n");
  EXPECT_TRUE(
      verdict(data).starts_with("Between MPI_Init and MPI_Finalize no cause costs 1 % of all ranks' time or more; "
                                "together they cost 0.37 %. That is little."))
      << verdict(data);
}

TEST(Losses, OfAnImbalanceThatChangesAreNotSerial) {
  // Each rank works 10, and in its turn 20 longer.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 30-30 MPI_Barrier; 40-60 MPI_Barrier; 70-90 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 10-30 MPI_Barrier; 60-60 MPI_Barrier; 70-90 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 10-30 MPI_Barrier; 40-60 MPI_Barrier; 90-90 MPI_Barrier\n");
  EXPECT_EQ(told(data.losses.causes), "delay 120 r012 compute MPI_Barrier -> MPI_Barrier");
  EXPECT_EQ(data.losses.causes.front().longer, 0);
}

TEST(Losses, RanksThatAreNearlyAsLateAsTheLastAreNamedToo) {
  // P2 and P3 compute 20 and 19 longer than the others in each step; only the last to come is waited for.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-30 MPI_Barrier; 40-60 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 10-30 MPI_Barrier; 40-60 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 30-30 MPI_Barrier; 59-60 MPI_Barrier\n"
      "P3 0-0 MPI_Barrier; 29-30 MPI_Barrier; 60-60 MPI_Barrier\n");
  EXPECT_EQ(told(data.losses.causes), "delay 82 r23 compute MPI_Barrier -> MPI_Barrier");
  EXPECT_EQ(data.losses.causes.front().longer, 39);
}

TEST(Losses, OfTheSameRanksInOneFunctionAreOneCause) {
  // P2 and P3 compute 20 and 19 longer before each of two calls: as the step before a found loop, and those inside it.
  EXPECT_EQ(told(losses_of("P0 0-0 MPI_Barrier@x.c:1; 10-30 MPI_Barrier@x.c:2; 40-60 MPI_Allreduce@x.c:3\n"
                           "P1 0-0 MPI_Barrier@x.c:1; 10-30 MPI_Barrier@x.c:2; 40-60 MPI_Allreduce@x.c:3\n"
                           "P2 0-0 MPI_Barrier@x.c:1; 30-30 MPI_Barrier@x.c:2; 59-60 MPI_Allreduce@x.c:3\n"
                           "P3 0-0 MPI_Barrier@x.c:1; 29-30 MPI_Barrier@x.c:2; 60-60 MPI_Allreduce@x.c:3\n")
                     .losses.causes),
            "delay 82 r23 compute MPI_Barrier@x.c:2 -> MPI_Allreduce@x.c:3");
}

TEST(Losses, OfSingleRanksInPlacesOfOneFunctionAreOneCause) {
  // P0 computes 10 longer before the first call, P2 before the second.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 20-20 MPI_Allreduce; 30-40 MPI_Barrier\n"
      "P1 0-0 MPI_Barrier; 10-20 MPI_Allreduce; 30-40 MPI_Barrier\n"
      "P2 0-0 MPI_Barrier; 10-20 MPI_Allreduce; 40-40 MPI_Barrier\n");
  ASSERT_EQ(data.losses.causes.size(), 2U) << told(data.losses.causes);  // other symptoms, other remedies
  const ReportData same = losses_of(
      "P0 0-0 MPI_Barrier; 20-20 MPI_Barrier@x.c:1; 30-40 MPI_Barrier@x.c:2\n"
      "P1 0-0 MPI_Barrier; 10-20 MPI_Barrier@x.c:1; 30-40 MPI_Barrier@x.c:2\n"
      "P2 0-0 MPI_Barrier; 10-20 MPI_Barrier@x.c:1; 40-40 MPI_Barrier@x.c:2\n");
  ASSERT_EQ(same.losses.causes.size(), 1U) << told(same.losses.causes);
  EXPECT_EQ(same.losses.causes.front().amount, 40);
  EXPECT_EQ(same.losses.causes.front().with.size(), 1U);
}

TEST(Findings, PartsStandBesideTheirWhole) {
  // P1 receives in another order than P0 sends: Late Sender, and a part of it in wrong order.
  const ReportData data = losses_of(
      "P0 0-0 MPI_Barrier; 10-11 MPI_Send to 1 tag 1; 30-31 MPI_Send to 1 tag 2\n"
      "P1 0-0 MPI_Barrier; 2-31 MPI_Recv from 0 tag 2; 32-33 MPI_Recv from 0 tag 1\n");
  const auto groups = data.grouped_findings();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].whole->metric, "late-sender");
  ASSERT_EQ(groups[0].parts.size(), data.findings.size() - 1);
  ASSERT_FALSE(groups[0].parts.empty());
  EXPECT_TRUE(groups[0].parts[0]->metric.starts_with("late-sender-")) << groups[0].parts[0]->metric;
}

TEST(Losses, StartAndEndAreApart) {
  const ReportData data = losses_of(
      "P0 0-100 MPI_Init; 100-130 f; 130-140 MPI_Barrier; 140-200 MPI_Finalize\n"
      "P1 60-100 MPI_Init; 100-140 f; 140-140 MPI_Barrier; 140-200 MPI_Finalize\n");
  EXPECT_EQ(data.losses.focus, 80);
  EXPECT_EQ(data.losses.outside, 260);
  EXPECT_EQ(told(data.losses.causes), "delay 10 r1 f");
  EXPECT_EQ(data.losses.start_and_end.front().kind, "start-and-end");
  EXPECT_TRUE(verdict(data).starts_with("Rank 1 makes others wait for 60 ns")) << verdict(data);  // 60 against 10
}

TEST(Losses, TransfersAreSmallByWhatTheyMove) {
  const auto cause_of_puts = [](const char* bytes) {
    std::string text = "P0 0-1 MPI_Win_lock w0 to 1";
    for (int i = 1; i <= 1000; ++i)
      text += "; " + std::to_string(10 * i) + "-" + std::to_string(10 * i + 9) + " MPI_Put w0 to 1 bytes " + bytes;
    return main_cause(losses_of(text + "; 10010-10011 MPI_Win_unlock w0 to 1\nP1 0-10011 main\n"));
  };
  EXPECT_TRUE(cause_of_puts("8").starts_with("Many small calls by rank 0")) << cause_of_puts("8");
  EXPECT_EQ(cause_of_puts("65536").find("small"), std::string::npos) << cause_of_puts("65536");
}

}  // namespace
}  // namespace mora::report
