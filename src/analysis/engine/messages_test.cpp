/// Rules of point-to-point messages and where simple implementations go wrong. Numbers are worked out by hand.
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

TEST(LateSender, IsTheTimeFromReceiveToSend) {
  const Analysed a = analyse_text("P0 16-18 MPI_Send to 1\nP1 10-20 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 6");
  EXPECT_EQ(a.ranks("late-sender-communications"), "0 1");
  EXPECT_EQ(a.ranks("late-sender-synchronizations"), "0 0");
  EXPECT_EQ(a.ranks("late-receiver"), "0 0");
  ASSERT_EQ(a.result.waits.size(), 1U);
  const WaitSummary& w = a.result.waits[0];
  EXPECT_EQ(w.worst.begin, 0);  // the trace starts at its smallest time, 10
  EXPECT_EQ(w.worst.end, 6);
  EXPECT_EQ(w.worst.location, 1U);
  EXPECT_EQ(w.worst.cause, 0U);
  EXPECT_EQ(a.result.cube.call_paths[w.worst.cause_call_path].name, "MPI_Send");
  ASSERT_EQ(w.caused_by.size(), 1U);
  EXPECT_EQ(w.caused_by[0], std::make_pair(cube::LocationId{0}, Nanoseconds{6}));
}

TEST(LateSender, IsNotThereWhenTheSendWasFirst) {
  EXPECT_EQ(analyse_text("P0 10-12 MPI_Send to 1\nP1 16-20 MPI_Recv from 0\n").total("late-sender"), 0);
}

TEST(LateSender, OfAnEmptyMessageIsASynchronization) {
  const Analysed a = analyse_text("P0 16-18 MPI_Send to 1 bytes 0\nP1 10-20 MPI_Recv from 0 bytes 0\n");
  EXPECT_EQ(a.ranks("late-sender-synchronizations"), "0 1");
  EXPECT_EQ(a.ranks("late-sender-instances"), "0 1");
  EXPECT_EQ(a.total("late-sender-communications"), 0);
}

TEST(LateSender, IsChargedToTheWaitNotToTheIrecv) {
  const Analysed a = analyse_text("P0 16-18 MPI_Send to 1\nP1 5-6 MPI_Irecv from 0 req a; 10-20 MPI_Wait req a\n");
  EXPECT_EQ(a.path("MPI_Wait", "late-sender", 1), 6);
  EXPECT_EQ(a.path("MPI_Irecv", "late-sender", 1), 0);
}

TEST(LateSender, OfAWaitallIsTheMaximumOnce) {
  const Analysed a = analyse_text(
      "P0 16-18 MPI_Send to 2\nP1 13-14 MPI_Send to 2\n"
      "P2 1-2 MPI_Irecv from 0 req a; 3-4 MPI_Irecv from 1 req b; 10-20 MPI_Waitall req a,b\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 0 6");
  EXPECT_EQ(a.ranks("late-sender-instances"), "0 0 1");
}

TEST(LateSender, IsNeverChargedToATest) {
  const Analysed a = analyse_text("P0 16-18 MPI_Send to 1\nP1 5-6 MPI_Irecv from 0 req a; 10-20 MPI_Test req a\n");
  EXPECT_EQ(a.total("late-sender"), 0);
  EXPECT_EQ(a.total("messages-received"), 1);
}

TEST(LateSender, ClampsWhatTheClocksContradict) {  // receiver's clock behind the sender's
  const Analysed a = analyse_text("P0 1050-1060 MPI_Send to 1\nP1 20-65 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 45");
  EXPECT_EQ(a.quality("clock-violation"), 1U);
}

TEST(LateReceiver, OfABlockingSendIsTheTimeUntilTheReceiveIsPosted) {
  const Analysed a = analyse_text("P0 10-74 MPI_Ssend to 1\nP1 70-75 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-receiver"), "60 0");
  EXPECT_EQ(a.ranks("late-receiver-communications"), "1 0");
  EXPECT_EQ(a.total("late-sender"), 0);
}

TEST(LateReceiver, IsNotThereWhenTheSendWasBuffered) {
  const Analysed a = analyse_text("P0 10-15 MPI_Send to 1\nP1 70-74 MPI_Recv from 0\n");
  EXPECT_EQ(a.total("late-receiver"), 0);
  EXPECT_EQ(analyse_text("P0 10-70 MPI_Send to 1\nP1 70-74 MPI_Recv from 0\n").total("late-receiver"),
            0);  // L(S) = E(R)
}

TEST(LateReceiver, OfAnIsendIsChargedToItsWaitAndCountsFromThere) {
  const Analysed a = analyse_text("P0 1-2 MPI_Isend to 1 req s; 10-40 MPI_Wait req s\nP1 30-41 MPI_Recv from 0\n");
  EXPECT_EQ(a.path("MPI_Wait", "late-receiver", 0), 20);
}

TEST(LateReceiver, CountsThePostingNotTheWait) {
  const Analysed a = analyse_text("P0 10-40 MPI_Ssend to 1\nP1 25-26 MPI_Irecv from 0 req a; 38-41 MPI_Wait req a\n");
  EXPECT_EQ(a.ranks("late-receiver"), "15 0");
}

TEST(SeveralOperations, AWaitallIsEitherLateSenderOrLateReceiver) {
  const std::string partners = "P1 14-15 MPI_Send to 0\nP2 30-41 MPI_Recv from 0\n";
  const Analysed a =
      analyse_text("P0 1-2 MPI_Irecv from 1 req r; 3-4 MPI_Isend to 2 req s; 10-40 MPI_Waitall req r,s\n" + partners);
  EXPECT_EQ(a.at("late-sender", 0), 4);
  EXPECT_EQ(a.at("late-receiver", 0), 0);
  // Without a late sender the late receiver counts.
  const Analysed b =
      analyse_text("P0 1-2 MPI_Irecv from 1 req r; 3-4 MPI_Isend to 2 req s; 16-40 MPI_Waitall req r,s\n" + partners);
  EXPECT_EQ(b.at("late-sender", 0), 0);
  EXPECT_EQ(b.at("late-receiver", 0), 14);
}

TEST(SeveralOperations, TheWaitsOfASendrecvNeverExceedIt) {
  const Analysed a = analyse_text("P0 0-10 MPI_Sendrecv to 1 from 1\nP1 8-9 MPI_Ssend to 0; 9-11 MPI_Recv from 0\n");
  EXPECT_EQ(a.at("late-sender", 0), 8);
  EXPECT_EQ(a.at("late-receiver", 0), 0);
  EXPECT_LE(a.at("late-sender", 0) + a.at("late-receiver", 0), 10);
}

TEST(Channels, PairSendsWithPostedReceivesInOrderNotWithCompletions) {
  // m1 sent at 10, m2 at 40; a posted first gets m1 although b is completed first.
  const Analysed a = analyse_text(
      "P0 10-11 MPI_Send to 1 tag 1; 40-41 MPI_Send to 1 tag 1\n"
      "P1 1-2 MPI_Irecv from 0 tag 1 req a; 3-4 MPI_Irecv from 0 tag 1 req b; 30-45 MPI_Wait req b; 50-51 MPI_Wait req "
      "a\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 10");  // b <-> m2: 40 - 30; a <-> m1: none
}

TEST(Channels, DifferentTagsDoNotMix) {
  const Analysed a = analyse_text(
      "P0 10-11 MPI_Send to 1 tag 1; 20-21 MPI_Send to 1 tag 2\nP1 5-22 MPI_Recv from 0 tag 2; 23-24 MPI_Recv from 0 "
      "tag 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 15");
}

TEST(Channels, CancelledRequestsTakeNoPart) {
  const Analysed a = analyse_text(
      "P0 10-11 MPI_Send to 1 tag 1\n"
      "P1 1-2 MPI_Irecv from 0 tag 1 req x; 3-4 MPI_Wait req x cancelled; 5-12 MPI_Recv from 0 tag 1\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 5");
  EXPECT_EQ(a.quality("unmatched-receive"), 0U);
}

TEST(Channels, PersistentRequestsAreAMessagePerStart) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Send_init to 1 req s; 10-11 MPI_Start req s; 12-13 MPI_Wait req s; 30-31 MPI_Start req s; 32-33 "
      "MPI_Wait req s\n"
      "P1 5-12 MPI_Recv from 0; 20-34 MPI_Recv from 0\n");
  EXPECT_EQ(a.ranks("late-sender"), "0 15");  // 10 - 5 and 30 - 20
  EXPECT_EQ(a.total("messages-sent"), 2);
}

TEST(Channels, SelfMessagesAndNullPartners) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Isend to 0 req s; 2-4 MPI_Recv from 0; 5-6 MPI_Wait req s; 7-8 MPI_Send to null; 9-10 MPI_Recv from "
      "null\n");
  EXPECT_EQ(a.total("late-sender") + a.total("late-receiver"), 0);
  EXPECT_EQ(a.quality("unmatched-send") + a.quality("unmatched-receive"), 0U);
  EXPECT_EQ(a.total("messages-sent"), 1);
}

TEST(Messages, AreCountedWhereTheyHappen) {
  const Analysed a = analyse_text(
      "P0 10-11 MPI_Send to 1 bytes 100; 12-13 MPI_Send to 1 bytes 20\nP1 0-12 MPI_Recv from 0 bytes 100; 12-14 "
      "MPI_Recv from 0 bytes 20\n");
  EXPECT_EQ(a.ranks("bytes-sent"), "120 0");
  EXPECT_EQ(a.ranks("bytes-received"), "0 120");
  EXPECT_EQ(a.ranks("messages-received"), "0 2");
  EXPECT_EQ(a.path("MPI_Send", "visits", 0), 2);
}

}  // namespace
}  // namespace mora::analysis
