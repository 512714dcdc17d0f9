// Messages: every expected number is worked out by hand.
#include "support/analysis/replay_text.h"

namespace mora::replay {
namespace {

TEST(Replay, ARowOfLateSendersEndsWithTheComputationOfTheRow) {
  // P0 computes 10, P1 5 after it has P0's message, P2 1 after it has P1's. Calls took 10 each in the trace.
  const auto r = replay_text(R"(
P0 0-1 init; 10-20 MPI_Send to 1; 20-21 fini
P1 0-1 init; 1-25 MPI_Recv from 0; 30-40 MPI_Send to 2; 40-41 fini
P2 0-1 init; 1-50 MPI_Recv from 1; 50-51 fini
)");
  // P0: 10 | 1. P1: 1, waits for 10, 5 (25-30), 1. P2: 1, waits for 15, 1.
  EXPECT_EQ(r.ends(), "11 16 16");
  EXPECT_EQ(r.node("", 0), "9/0");
  EXPECT_EQ(r.node("", 1), "14/9");
  EXPECT_EQ(r.node("", 2), "14/14");
  EXPECT_EQ(r.result.end, 16);
  EXPECT_EQ(r.result.messages, 2);
  EXPECT_TRUE(r.result.quality.empty());
}

TEST(Replay, StandardSendsNeverWaitButSynchronousOnesDo) {
  const std::string receiver = "P1 0-100 work; 100-110 MPI_Recv from 0; 110-111 fini\n";
  EXPECT_EQ(replay_text("P0 0-1 init; 10-109 MPI_Send to 1; 109-110 fini\n" + receiver).ends(), "11 101");
  EXPECT_EQ(replay_text("P0 0-1 init; 10-109 MPI_Bsend to 1; 109-110 fini\n" + receiver).ends(), "11 101");
  EXPECT_EQ(replay_text("P0 0-1 init; 10-109 MPI_Rsend to 1; 109-110 fini\n" + receiver).ends(), "11 101");
  // The receive is posted when P1 has worked 100.
  const auto r = replay_text("P0 0-1 init; 10-109 MPI_Ssend to 1; 109-110 fini\n" + receiver);
  EXPECT_EQ(r.ends(), "101 101");
  EXPECT_EQ(r.node("", 0), "99/90");
}

TEST(Replay, ANonBlockingSynchronousSendWaitsWhereItIsCompleted) {
  // P1 posts at 50 and only completes at 100; another message of P0 comes in between.
  const auto r = replay_text(R"(
P0 0-1 MPI_Issend to 1 tag 1 req a; 11-60 MPI_Wait req a; 60-61 MPI_Send to 1 tag 2; 61-71 fini
P1 0-50 work; 50-51 MPI_Irecv from 0 tag 1 req b; 51-62 MPI_Recv from 0 tag 2; 62-102 work; 102-110 MPI_Wait req b; 110-115 fini
)");
  // P0: works 10, waits for the posting at 50, 10. P1: 50, message 2 was sent at 50, 40, 5.
  EXPECT_EQ(r.ends(), "60 95");
}

TEST(Replay, CompletingCallsWaitForWhatTheyCompleted) {
  // P1 gets messages 1, 2, 3 at 10, 20, 30 of P0's time.
  const std::string sender =
      "P0 0-10 w; 10-11 MPI_Send to 1 tag 1; 11-21 w; 21-22 MPI_Send to 1 tag 2; 22-32 w; 32-33 MPI_Send to 1 tag 3\n";
  const std::string posts =
      "P1 0-1 MPI_Irecv from 0 tag 1 req a; 1-2 MPI_Irecv from 0 tag 2 req b; 2-3 MPI_Irecv from 0 tag 3 req c\n";
  EXPECT_EQ(replay_text(sender + posts + "P1 3-40 MPI_Waitall req a,b,c; 40-41 w").ends(), "30 31");
  EXPECT_EQ(replay_text(
                sender + posts +
                "P1 3-40 MPI_Waitany req a; 40-41 w; 41-42 MPI_Waitsome req b; 42-43 w; 50-51 MPI_Wait req c; 51-52 w")
                .ends(),
            "30 31");  // 11, 21, then 7 of work between 43 and 50: 28 -> 30, 31
  // Spinning costs nothing, finding waits.
  EXPECT_EQ(
      replay_text(sender + posts +
                  "P1 3-4 MPI_Test; 4-20 MPI_Test; 20-24 MPI_Test req a; 24-25 w; 25-40 MPI_Testall req b,c; 40-41 w")
          .ends(),
      "30 31");
}

TEST(Replay, ReceivesTakeMessagesInTheOrderOfPosting) {
  // Posted a, b; completed b, a: a takes the first message (10), b the second (60).
  const auto r = replay_text(R"(
P0 0-10 w; 10-11 MPI_Send to 1; 11-61 w; 61-62 MPI_Send to 1
P1 0-1 MPI_Irecv from 0 req a; 1-2 MPI_Irecv from 0 req b; 2-70 MPI_Wait req a; 70-71 w; 71-72 MPI_Wait req b; 72-73 w
)");
  EXPECT_EQ(r.ends(), "60 61");
  const auto swapped = replay_text(R"(
P0 0-10 w; 10-11 MPI_Send to 1; 11-61 w; 61-62 MPI_Send to 1
P1 0-1 MPI_Irecv from 0 req a; 1-2 MPI_Irecv from 0 req b; 2-70 MPI_Wait req b; 70-71 w; 71-72 MPI_Wait req a; 72-73 w
)");
  EXPECT_EQ(swapped.ends(), "60 62");
}

TEST(Replay, ARingOfSendrecvsIsNoCircle) {
  const auto r = replay_text(R"(
P0 0-10 w; 10-40 MPI_Sendrecv to 1 from 2; 40-41 w
P1 0-20 w; 20-40 MPI_Sendrecv to 2 from 0; 40-41 w
P2 0-30 w; 30-40 MPI_Sendrecv to 0 from 1; 40-41 w
)");
  EXPECT_EQ(r.ends(), "31 21 31");
  EXPECT_EQ(r.damage("replay-circle"), 0U);
}

TEST(Replay, SynchronousSendsInARingThatReceiveLaterAreACircleAndEnd) {
  // Nobody can have recorded this: each returns from MPI_Ssend before the other asks.
  const auto r = replay_text(R"(
P0 0-5 w; 5-10 MPI_Ssend to 1; 10-20 MPI_Recv from 1; 20-21 w
P1 0-6 w; 6-10 MPI_Ssend to 0; 10-20 MPI_Recv from 0; 20-21 w
)");
  // P0 (at 5) goes on after its recorded 5 ns: 10, posts; P1 6 -> 10.
  EXPECT_EQ(r.ends(), "11 11");
  EXPECT_EQ(r.damage("replay-circle"), 1U);
}

TEST(Replay, ACallWithoutItsPartnerLastsWhatItLasted) {
  const auto r = replay_text(R"(
P0 0-1 MPI_Irecv from 1 req a; 1-2 MPI_Irecv from 2 req b; 2-50 MPI_Waitall req a,b; 50-51 w; 51-60 MPI_Ssend to 2; 60-61 w
P1 0-10 w; 10-11 MPI_Send to 0
P2 0-1 w
)");
  // Waitall: 48 from 0, whatever the message at 10; MPI_Ssend 9.
  EXPECT_EQ(r.ends(), "59 10 1");
  EXPECT_EQ(r.damage("replay-without-partner"), 2U);
}

TEST(Replay, PersistentCancelledNullAndSelf) {
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Send_init to 1 req s; 11-12 MPI_Start req s; 12-13 MPI_Wait req s; 13-23 w; 23-24 MPI_Start req s; 24-25 MPI_Wait req s
P1 0-1 MPI_Recv_init from 0 req r; 1-2 MPI_Start req r; 2-13 MPI_Wait req r; 13-14 w; 14-15 MPI_Start req r; 15-30 MPI_Wait req r; 30-31 w
)")
                .ends(),
            "20 21");
  // A cancelled receive takes no message, a cancelled send gives none.
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Isend to 1 req s; 11-12 MPI_Wait cancelled req s; 12-22 w; 22-23 MPI_Send to 1
P1 0-1 MPI_Irecv from 0 req r; 1-2 MPI_Wait cancelled req r; 2-30 MPI_Recv from 0; 30-31 w
)")
                .ends(),
            "20 21");
  EXPECT_EQ(replay_text("P0 0-10 MPI_Send to null; 10-20 MPI_Recv from null; 20-25 w").ends(), "5");
  EXPECT_EQ(replay_text("P0 0-5 w; 5-10 MPI_Sendrecv to 0 from 0; 10-11 w; 11-12 MPI_Isend to 0 req a; 12-20 MPI_Recv "
                        "from 0; 20-21 w; 21-22 MPI_Wait req a")
                .ends(),
            "7");
}

TEST(Replay, ProbesWaitForTheMessageThatIsReceivedNext) {
  const std::string sender = "P0 0-50 w; 50-51 MPI_Send to 1\n";
  // Between the probe and the receive 7 of work, which cannot begin before the message is there.
  EXPECT_EQ(replay_text(sender + "P1 0-55 MPI_Probe; 55-62 w; 62-63 MPI_Recv from 0; 63-64 w").ends(), "50 58");
  EXPECT_EQ(replay_text(sender + "P1 0-55 MPI_Mprobe from 0 req m; 55-62 w; 62-63 MPI_Mrecv req m; 63-64 w").ends(),
            "50 58");
  // Iprobe does not wait.
  EXPECT_EQ(replay_text(sender + "P1 0-55 MPI_Iprobe; 55-62 w; 62-63 MPI_Recv from 0; 63-64 w").ends(), "50 51");
  // What the probe found is not told by a receive after other calls.
  EXPECT_EQ(replay_text(sender + "P1 0-55 MPI_Probe; 55-62 w; 62-63 MPI_Send to 1 tag 9; 63-64 MPI_Recv from 0; 64-65 "
                                 "MPI_Recv from 1 tag 9; 65-66 w")
                .ends(),
            "50 51");
}

TEST(Replay, RegionsAndIntervalsHoldTheirComputationAndTheWaitingOfTheirCalls) {
  const auto r = replay_text(R"(
P0 0-100 main; 10-20 solve; 12-14 MPI_Send to 1; 30-34 MPI_Send to 1 tag 2
P1 0-100 main; 10-40 solve; 20-35 MPI_Recv from 0; 50-90 MPI_Recv from 0 tag 2
)");
  // P0: sends at 12 and at 28; main 90 - 4, solve 8. P1: waits never for the first (at 20), never for the second.
  EXPECT_EQ(r.ends(), "94 45");
  EXPECT_EQ(r.node("main", 0), "86/0");
  EXPECT_EQ(r.node("solve", 0), "8/0");
  EXPECT_EQ(r.node("main", 1), "30/0");
  EXPECT_EQ(r.node("solve", 1), "15/0");
}

TEST(Replay, WhatIsNotTheNetworkLasts) {
  // Files, local calls and a user's function inside a call; overhead costs nothing, what was not recorded is kept.
  EXPECT_EQ(replay_text("P0 0-10 w; 10-30 MPI_File_read; 30-37 MPI_Pack; 37-40 w").ends(), "40");
  EXPECT_EQ(replay_text("P0 0-10 w; 10-11 w; 11 OVERHEAD_BEGIN; 31 OVERHEAD_END; 31-32 w").ends(), "12");
  EXPECT_EQ(replay_text("P0 0-10 w; 10-11 w; 11 RECORDING_OFF; 31 RECORDING_ON; 31-32 w").ends(), "32");
  EXPECT_EQ(replay_text("P0 0-10 w; 10-30 MPI_Reduce comm WORLD root 0; 12-15 my_sum; 30-31 w").ends(), "14");
}

TEST(Replay, MessagesAcrossAGapInTheRecordingDoNotShiftTheOthers) {
  // Two messages; the first one's receive was not recorded.
  const auto r = replay_text(R"(
P0 0-10 w; 10-11 MPI_Send to 1; 11 RECORDING_OFF; 20 RECORDING_ON; 20-60 w; 60-61 MPI_Send to 1
P1 0-5 w; 5 RECORDING_OFF; 20 RECORDING_ON; 20-65 MPI_Recv from 0; 65-66 w
)");
  EXPECT_EQ(r.ends(), "59 60");
}

TEST(Replay, TheOrderOfExecutionDoesNotMatter) {
  std::string text;
  for (int rank = 0; rank < 6; ++rank) {
    const std::string p = "P" + std::to_string(rank) + " ";
    for (int step = 0; step < 20; ++step) {
      const int t = step * 100;
      const int work = (rank * 7 + step * 13) % 31;
      text += p + std::to_string(t) + "-" + std::to_string(t + work) + " w\n";
      text += p + std::to_string(t + 40) + "-" + std::to_string(t + 60) + " MPI_Sendrecv to " +
              std::to_string((rank + 1 + step % 3) % 6) + " from " + std::to_string((rank + 5 - step % 3) % 6) + "\n";
      if (step % 5 == 4) text += p + std::to_string(t + 60) + "-" + std::to_string(t + 80) + " MPI_Scan\n";
    }
  }
  const std::string ends = replay_text(text).ends();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(replay_text(text, seed).ends(), ends) << seed;
}

}  // namespace
}  // namespace mora::replay
