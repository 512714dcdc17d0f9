/// Late Sender in wrong order, and polling, on traces whose numbers are computed by hand.
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

TEST(WrongOrder, AnOlderMessageOfAnotherSourceWasThere) {
  const Analysed a = analyse_text(
      "P0 30-31 MPI_Send to 2\nP1 5-6 MPI_Send to 2\n"
      "P2 10-32 MPI_Recv from 0; 33-34 MPI_Recv from 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 0 20");
  EXPECT_EQ(a.ranks("late-sender-wrong-order"), "0 0 20");
  EXPECT_EQ(a.ranks("late-sender-wrong-order-different-source"), "0 0 20");
  EXPECT_EQ(a.total("late-sender-wrong-order-same-source"), 0);
  EXPECT_EQ(a.total("late-sender-wrong-order-communications"), 1);
}

TEST(WrongOrder, TagsInAnotherOrderThanSent) {
  const Analysed a = analyse_text(
      "P0 5-6 MPI_Send to 1 tag 1; 20-21 MPI_Send to 1 tag 2 bytes 0\n"
      "P1 10-22 MPI_Recv from 0 tag 2 bytes 0; 23-24 MPI_Recv from 0 tag 1\n");
  EXPECT_EQ(a.ranks("late-sender-wrong-order-same-source"), "0 10");
  EXPECT_EQ(a.total("late-sender-wrong-order-different-source"), 0);
  EXPECT_EQ(a.total("late-sender-wrong-order-synchronizations"), 1);
}

TEST(WrongOrder, NeedsAnEarlierSendNotAnEqualOrLaterOne) {
  const Analysed a = analyse_text(
      "P0 20-21 MPI_Send to 2\nP1 20-21 MPI_Send to 2; 40-41 MPI_Send to 2\n"
      "P2 10-22 MPI_Recv from 0; 23-24 MPI_Recv from 1; 25-42 MPI_Recv from 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 0 25");
  EXPECT_EQ(a.total("late-sender-wrong-order"), 0);
}

TEST(WrongOrder, WhatTheSameCallCompletesDoesNotCount) {
  const Analysed a = analyse_text(
      "P0 30-31 MPI_Send to 2\nP1 5-6 MPI_Send to 2\n"
      "P2 1-2 MPI_Irecv from 0 req a; 3-4 MPI_Irecv from 1 req b; 10-32 MPI_Waitall req a,b\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 0 20");
  EXPECT_EQ(a.total("late-sender-wrong-order"), 0);
}

TEST(WrongOrder, TheFirstLaterCallDecidesTheSourceAndATestCounts) {
  const Analysed a = analyse_text(
      "P0 3-4 MPI_Send to 2 tag 7; 30-31 MPI_Send to 2\nP1 5-6 MPI_Send to 2\n"
      "P2 1-2 MPI_Irecv from 1 req b; 10-32 MPI_Recv from 0; 33-34 MPI_Test req b; 40-41 MPI_Recv from 0 tag 7\n");
  EXPECT_EQ(a.ranks("late-sender-wrong-order-different-source"), "0 0 20");
  EXPECT_EQ(a.total("late-sender-wrong-order-same-source"), 0);
}

TEST(WrongOrder, NothingIsForgottenHoweverManyInstances) {
  std::string sender = "P0";
  std::string receiver = "P2";
  for (int j = 1; j <= 300; ++j) {
    const int t = 100 * j;
    sender += (j == 1 ? " " : "; ") + std::to_string(t) + "-" + std::to_string(t + 1) + " MPI_Send to 2";
    receiver += (j == 1 ? " " : "; ") + std::to_string(t - 10) + "-" + std::to_string(t + 2) + " MPI_Recv from 0";
  }
  receiver += "; 40000-40001 MPI_Recv from 1\n";
  for (const unsigned partitions : {1U, 2U, 3U}) {
    const Analysed a = analyse_text(sender + "\nP1 1-2 MPI_Send to 2\n" + receiver, partitions);
    EXPECT_EQ(a.ranks("late-sender-wrong-order-different-source"), "0 0 3000");
    EXPECT_EQ(a.total("late-sender-wrong-order-communications"), 300);
  }
}

TEST(WrongOrder, ThreadsOfARankAreApart) {
  const Analysed a = analyse_text(
      "P0 30-31 MPI_Send to 2 tag 1\nP1 5-6 MPI_Send to 2 tag 2\n"
      "P2 10-32 MPI_Recv from 0 tag 1\nP2.1 33-34 MPI_Recv from 1 tag 2\n");
  EXPECT_EQ(a.at("late-sender", 2), 20);
  EXPECT_EQ(a.total("late-sender-wrong-order"), 0);
}

TEST(SeveralOperations, ThreeHundredInOneWaitall) {
  std::string sender = "P0";
  std::string receiver = "P1";
  std::string requests;
  for (int j = 0; j < 300; ++j) {
    const std::string tag = std::to_string(j);
    sender += (j == 0 ? " " : "; ") + std::to_string(1000 + j * 2) + "-" + std::to_string(1001 + j * 2) +
              " MPI_Send to 1 tag " + tag;
    receiver += (j == 0 ? " " : "; ") + std::to_string(2 * j) + "-" + std::to_string(2 * j + 1) +
                " MPI_Irecv from 0 tag " + tag + " req r" + tag;
    requests += (j == 0 ? "r" : ",r") + tag;
  }
  const Analysed a = analyse_text(sender + "\n" + receiver + "; 900-1700 MPI_Waitall req " + requests + "\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 698");  // 1598 - 900
  EXPECT_EQ(a.total("late-sender-instances"), 1);
}

TEST(Polling, IsWhatTestsAndProbesSpendWithoutFindingAnything) {
  const Analysed a = analyse_text(
      "P0 40-41 MPI_Send to 1; 65-66 MPI_Send to 1 tag 9\n"
      "P1 1-2 MPI_Irecv from 0 req a; 3-4 MPI_Irecv from 0 tag 5 req x; 5-7 MPI_Test; 10-13 MPI_Testsome\n"
      "P1 42-44 MPI_Test req a; 45-46 MPI_Test req x cancelled; 50-51 MPI_Iprobe; 60-64 MPI_Improbe\n"
      "P1 70-72 MPI_Improbe from 0 tag 9 req b; 73-75 MPI_Mrecv req b\n");
  EXPECT_EQ(a.ranks("polling"), "0 10");
  EXPECT_EQ(a.ranks("polling-calls"), "0 4");
}

TEST(Polling, ATestThatCompletesACollectiveOrATransferFoundSomething) {
  const Analysed a = analyse_text(
      "P0 1-2 MPI_Ibarrier req n; 3-4 MPI_Test; 6-9 MPI_Test req n; 10-11 MPI_Win_lock w0 to 1; 12-13 MPI_Rput w0 to 1 "
      "req p; 14-18 MPI_Test req p; 20-21 MPI_Win_unlock w0 to 1\n"
      "P1 1-2 MPI_Ibarrier req n; 3-4 MPI_Wait req n\n");
  EXPECT_EQ(a.ranks("polling"), "1 0");
  EXPECT_EQ(a.ranks("polling-calls"), "1 0");
}

TEST(PollLoops, GapsTogetherTakeNoLongerThanThePolls) {
  // Ten polls of 2 every 3: 20 in polls, 9 in gaps. A gap of 11 more is one of them, of 12 ends the stretch.
  const auto waited = [](int gap) {
    std::string polls;
    for (int i = 0; i < 10; ++i) polls += std::to_string(3 * i) + "-" + std::to_string(3 * i + 2) + " MPI_Iprobe; ";
    return analyse_text("P0 200-201 MPI_Send to 1\nP1 " + polls + std::to_string(29 + gap) +
                        "-250 MPI_Iprobe; 251-300 MPI_Iprobe; 301-302 MPI_Recv from 0\n")
        .at("late-sender", 1);
  };
  EXPECT_EQ(waited(11), 200);
  EXPECT_EQ(waited(12), 200 - 12);
}

TEST(PollLoops, TestsThatCompleteACollectiveOrASend) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Ibarrier req n; 10-15 MPI_Test; 17-20 MPI_Test; 21-40 MPI_Test req n\n"
      "P1 30-31 MPI_Ibarrier req n; 50-51 MPI_Wait req n\n");
  EXPECT_EQ(a.ranks("nonblocking-wait-at-barrier"), "20 0");
  EXPECT_EQ(a.ranks("collective"), "31 2");
  EXPECT_EQ(a.ranks("point-to-point"), "0 0");
  const Analysed send = analyse_text(
      "P0 0-1 MPI_Isend to 1 req s; 10-15 MPI_Test; 17-20 MPI_Test; 21-40 MPI_Test req s\n"
      "P1 30-41 MPI_Recv from 0\n");
  EXPECT_EQ(send.ranks("late-receiver"), "20 0");
}

TEST(Polling, NotInACallThatRecordingWasOffIn) {
  const Analysed a =
      analyse_text("P0 1 ENTER MPI_Test; 2 RECORDING_OFF; 8 RECORDING_ON; 9 EXIT; 10-12 MPI_Test\nP1 1-2 compute\n");
  EXPECT_EQ(a.ranks("polling"), "2 0");
}

}  // namespace
}  // namespace mora::analysis
