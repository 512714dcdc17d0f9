// Collectives: every expected number is worked out by hand. P0, P1, P2 arrive at 10, 30, 20 and compute 1 afterwards.
#include "support/analysis/replay_text.h"

namespace mora::replay {
namespace {

std::string three(const std::string& p0, const std::string& p1, const std::string& p2) {
  return "P0 0-10 w; 10-50 " + p0 + "; 50-51 w\nP1 0-30 w; 30-50 " + p1 + "; 50-51 w\nP2 0-20 w; 20-50 " + p2 +
         "; 50-51 w\n";
}
std::string three(const std::string& all) { return three(all, all, all); }

TEST(ReplayCollectives, BarrierAndAllToAllWaitForEverybody) {
  for (const char* name : {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter",
                           "MPI_Allgatherv", "MPI_Reduce_scatter_block", "MPI_Alltoallv"}) {
    const auto r = replay_text(three(name));
    EXPECT_EQ(r.ends(), "31 31 31") << name;
    EXPECT_EQ(r.result.collectives, 1U);
    EXPECT_EQ(r.node("", 0), "20/20") << name;
  }
}

TEST(ReplayCollectives, OneToAllWaitsForTheRootAlone) {
  for (const char* name : {"MPI_Bcast root 2", "MPI_Scatter root 2", "MPI_Scatterv root 2"})
    EXPECT_EQ(replay_text(three(name)).ends(), "21 31 21") << name;
}

TEST(ReplayCollectives, AllToOneMakesTheRootWaitAlone) {
  for (const char* name : {"MPI_Reduce root 2", "MPI_Gather root 2", "MPI_Gatherv root 2"})
    EXPECT_EQ(replay_text(three(name)).ends(), "11 31 31") << name;
}

TEST(ReplayCollectives, PrefixesWaitForLowerRanksInTheCommunicator) {
  EXPECT_EQ(replay_text(three("MPI_Scan")).ends(), "11 31 31");
  EXPECT_EQ(replay_text(three("MPI_Exscan")).ends(), "11 31 31");
  // Rank order 2, 0, 1.
  EXPECT_EQ(replay_text("comm TURNED = 2,0,1\n" + three("MPI_Scan comm TURNED")).ends(), "21 31 21");
}

TEST(ReplayCollectives, WhoSendsNothingIsNotWaitedForAndWhoReceivesNothingDoesNotWait) {
  EXPECT_EQ(replay_text(three("MPI_Allgatherv sent 8 recvd 16", "MPI_Allgatherv sent 0 recvd 16",
                              "MPI_Allgatherv sent 8 recvd 16"))
                .ends(),
            "21 31 21");
  EXPECT_EQ(replay_text(three("MPI_Allgatherv sent 8 recvd 0", "MPI_Allgatherv sent 8 recvd 24",
                              "MPI_Allgatherv sent 8 recvd 24"))
                .ends(),
            "11 31 31");
  EXPECT_EQ(replay_text(three("MPI_Reduce root 0 sent 0 recvd 0")).ends(), "11 31 21");
}

TEST(ReplayCollectives, KnownPartnersOfVectorVariantsAlone) {
  // P0 gets from P2 only, P1 from P0 and P2, P2 from nobody.
  const auto r = replay_text(three("MPI_Alltoallv counts 0,4,0,0,0,4", "MPI_Alltoallv counts 0,0,0,4,0,4",
                                   "MPI_Alltoallv counts 4,4,0,0,0,0"));
  EXPECT_EQ(r.ends(), "21 31 21");
}

TEST(ReplayCollectives, NeighboursAlone) {
  const auto r =
      replay_text(three("MPI_Neighbor_allgather dests 1 sources 2", "MPI_Neighbor_allgather dests 2 sources 0",
                        "MPI_Neighbor_allgather dests 0 sources 1"));
  EXPECT_EQ(r.ends(), "21 31 31");
}

TEST(ReplayCollectives, TheNumberOnTheCommunicatorDecides) {
  // A rank outside takes no part; the second instance is the second on its communicator.
  const auto r = replay_text(R"(
comm PAIR = 2,0
P0 0-10 w; 10-20 MPI_Barrier comm PAIR; 20-30 w; 30-40 MPI_Barrier comm PAIR; 40-41 w
P1 0-40 w
P2 0-15 w; 15-20 MPI_Barrier comm PAIR; 20-21 w; 21-40 MPI_Barrier comm PAIR; 40-41 w
)");
  EXPECT_EQ(r.ends(), "26 40 26");
}

TEST(ReplayCollectives, BetweenTwoGroups) {
  const std::string comm = "comm INTER = 0 | 1,2\n";
  EXPECT_EQ(replay_text(comm + three("MPI_Barrier comm INTER")).ends(), "31 31 31");
  EXPECT_EQ(replay_text(comm + three("MPI_Bcast comm INTER root 0 sent 8 recvd 0",
                                     "MPI_Bcast comm INTER root 0 sent 0 recvd 8",
                                     "MPI_Bcast comm INTER root 0 sent 0 recvd 8"))
                .ends(),
            "11 31 21");
}

TEST(ReplayCollectives, OfOneProcessAreNoWaiting) {
  const auto r = replay_text(
      "comm ONE = 1\ncomm SELF = self\nP0 0-5 w\nP1 0-10 MPI_Barrier comm ONE; 10-20 MPI_Allreduce comm SELF; 20-21 w");
  EXPECT_EQ(r.ends(), "5 1");
  EXPECT_TRUE(r.result.quality.empty());
}

TEST(ReplayCollectives, NonBlockingOnesOverlap) {
  // P1 arrives last, at 30. P0 computes 15 in between, P2 25.
  const auto r = replay_text(R"(
P0 0-10 w; 10-11 MPI_Iallreduce req a; 11-26 w; 26-50 MPI_Wait req a; 50-51 w
P1 0-30 w; 30-31 MPI_Iallreduce req a; 31-32 MPI_Wait req a; 50-51 w
P2 0-20 w; 20-21 MPI_Iallreduce req a; 21-46 w; 46-50 MPI_Wait req a; 50-51 w
)");
  EXPECT_EQ(r.ends(), "31 49 46");
  EXPECT_EQ(r.node("", 0), "5/5");
  // The root of a broadcast need not wait at all.
  EXPECT_EQ(replay_text(R"(
P0 0-10 w; 10-11 MPI_Ibcast root 1 req a; 11-50 MPI_Wait req a; 50-51 w
P1 0-30 w; 30-31 MPI_Ibcast root 1 req a; 31-50 MPI_Wait req a; 50-51 w
P2 0-40 w; 40-41 MPI_Ibcast root 1 req a; 41-50 MPI_Wait req a; 50-51 w
)")
                .ends(),
            "31 31 41");
}

TEST(ReplayCollectives, InitAndFinalizeAreOfAllThatCallThem) {
  const auto r = replay_text(R"(
P0 0-5 w; 5-40 MPI_Init; 40-50 w; 50-90 MPI_Finalize; 90-91 w
P1 0-25 w; 25-40 MPI_Init; 40-41 w; 41-90 MPI_Finalize; 90-91 w
)");
  EXPECT_EQ(r.ends(), "36 36");
}

TEST(ReplayCollectives, ImbalanceThatAlternatesIsSerialisation) {
  // Both compute 60 in all, but never the longer part at the same time: 2 x (50 + 10).
  std::string text;
  for (int step = 0; step < 2; ++step) {
    const int t = step * 200;
    for (int rank = 0; rank < 2; ++rank) {
      for (int half = 0; half < 2; ++half) {
        const int from = t + half * 100, work = rank == half ? 50 : 10;
        text += "P" + std::to_string(rank) + " " + std::to_string(from) + "-" + std::to_string(from + work) + " w; " +
                std::to_string(from + work) + "-" + std::to_string(from + 100) + " MPI_Barrier\n";
      }
    }
  }
  EXPECT_EQ(replay_text(text).ends(), "200 200");
}

TEST(ReplayCollectives, MakingCommunicatorsIsCounted) {
  const auto r = replay_text(
      "P0 0-10 w; 10-30 MPI_Comm_dup; 30-31 w; 31-32 MPI_Comm_group\nP1 0-20 w; 20-30 MPI_Comm_dup; 30-31 w");
  EXPECT_EQ(r.ends(), "11 21");
  EXPECT_EQ(r.damage("replay-unrecorded-members"), 2U);
}

}  // namespace
}  // namespace mora::replay
