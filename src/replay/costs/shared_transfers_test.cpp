// Messages that share a node's connection or memory: every expected number is worked out by hand. Ranks 0 and 1 are on
// node 0, 2 and 3 on node 1, 4 and 5 on node 2. 5 ns for each processor, 100 ns, and a byte per ns of one message.
#include "support/analysis/replay_on_network.h"

namespace mora::replay {
namespace {

constexpr const char* two_to_another_node = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-10 MPI_Send to 3 bytes 1000
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-10 MPI_Recv from 1 bytes 1000
)";

TEST(SharedTransfers, TwoSendersOfANodeTakeTwiceAsLongWhereOneFillsItsConnection) {
  // Alone: 5 + 100 + 1000 + 5. With n / R_N = n / R_C the second one has left 2000 after the begin.
  EXPECT_EQ(on(LineNetwork(), two_to_another_node).ends(), "5 5 1110 1110");
  const auto r = on(sharing(1), two_to_another_node);
  EXPECT_EQ(r.ends(), "5 5 1110 2110");
  EXPECT_EQ(r.parts("MPI_Recv", 3), "2110 = 5 + 2100 + 5");
}

TEST(SharedTransfers, MaxRateOfManySenders) {
  // k messages of n bytes that begin at once: latency + max(n / R_C, k n / R_N). Six nodes' worth of receivers, all
  // sent to by both ranks of node 0: k = 2 .. 10 by requests, of 1000 bytes; each takes 1000 alone.
  for (const Nanoseconds own : {1, 2, 5, 20}) {
    for (unsigned k = 1; k <= 5; ++k) {
      SharingNetwork network = sharing(2);
      network.per_byte = own;
      network.send_overhead = 0;
      std::string lines, sends[2];
      for (unsigned i = 0; i < k; ++i) {
        for (unsigned s = 0; s < 2; ++s) {
          sends[s] += "P" + std::to_string(s) + " " + std::to_string(i) + "-" + std::to_string(i + 1) +
                      " MPI_Send to " + std::to_string(2 + 4 * i + 2 * s) + " bytes 1000\n";
          lines += "P" + std::to_string(2 + 4 * i + 2 * s) + " 0-1 MPI_Recv from " + std::to_string(s) +
                   " bytes 1000\nP" + std::to_string(3 + 4 * i + 2 * s) + " 0-1 w\n";
        }
      }
      Nanoseconds last = 0;
      for (const auto& location : on(network, sends[0] + sends[1] + lines).text.result.locations)
        last = std::max(last, location.end);
      EXPECT_EQ(last, 100 + std::max<Nanoseconds>(1000 * own, Nanoseconds{2} * k * 2000) + 5) << own << " " << k;
    }
  }
}

TEST(SharedTransfers, NothingChangesWhereTheConnectionIsAsFastAsAllItsRanksTogether) {
  SharingNetwork network = sharing(1);
  network.per_byte = 2;
  EXPECT_EQ(on(network, two_to_another_node).ends(), "5 5 2110 2110");
  // A single message is never faster than the connection.
  network.connection_per_byte = 3;
  EXPECT_EQ(on(network, "P0 0-10 MPI_Send to 2 bytes 1000\nP1 0-1 w\nP2 0-10 MPI_Recv from 0 bytes 1000\n").ends(),
            "5 1 3110");
}

TEST(SharedTransfers, MessagesWithinANodeUseItsMemoryOnly) {
  // Ranks 2 and 3 exchange messages while rank 0 sends to node 1 and rank 1 to node 2.
  const std::string lines = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-10 w
P2 0-5 MPI_Irecv from 0 bytes 1000 req a; 5-6 MPI_Send to 3 bytes 1000; 6-7 MPI_Wait req a
P3 0-10 MPI_Recv from 2 bytes 1000
)";
  // Posting costs nothing: the send within the node begins at 5 and is taken at 1110 whatever enters the node.
  EXPECT_EQ(on(sharing(1), lines).ends(), "5 10 1110 1110");
  EXPECT_EQ(on(sharing(4), lines).ends(), "5 10 4110 1110");
  EXPECT_EQ(on(sharing(1, 4), lines).ends(), "5 10 1110 4110");
}

TEST(SharedTransfers, BothCopiesWithinANodeShareItsMemory) {
  const std::string lines = R"(
P0 0-5 MPI_Irecv from 1 bytes 1000 req a; 5-6 MPI_Send to 1 bytes 1000; 6-7 MPI_Wait req a
P1 0-5 MPI_Irecv from 0 bytes 1000 req a; 5-6 MPI_Send to 0 bytes 1000; 6-7 MPI_Wait req a
)";
  EXPECT_EQ(on(sharing(1), lines).ends(), "1110 1110");
  // Equal times: the lower rank's message is served first.
  EXPECT_EQ(on(sharing(1, 1), lines).ends(), "2110 1110");
}

TEST(SharedTransfers, SendersOfDifferentNodesShareTheConnectionOfTheirReceivers) {
  const std::string lines = R"(
P0 0-1 MPI_Recv from 2 bytes 1000
P1 0-1 MPI_Recv from 4 bytes 1000
P2 0-1 MPI_Send to 0 bytes 1000
P3 0-1 w
P4 0-1 MPI_Send to 1 bytes 1000
P5 0-1 w
)";
  EXPECT_EQ(on(sharing(1), lines).ends(), "1110 2110 5 1 5 1");
}

TEST(SharedTransfers, ARendezvousIsServedWhenBothHaveComeAndItsSenderWaits) {
  SharingNetwork network = sharing(1);
  network.eager_up_to = 500;
  // P3 is late: its message does not keep the connection before 700, when that of P2 has half left; it has left at
  // 2005, and is through at 2105; its sender waits so long.
  const std::string lines = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-10 MPI_Send to 3 bytes 1000
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-700 w; 700-710 MPI_Recv from 1 bytes 1000
)";
  const auto r = on(network, lines);
  EXPECT_EQ(r.ends(), "1105 2105 1110 2110");
  EXPECT_EQ(r.parts("MPI_Send", 1), "2105 = 695 + 1405 + 5");
  // Late enough: nothing is shared.
  network.eager_up_to = 500;
  EXPECT_EQ(on(network,
               "P0 0-10 MPI_Send to 2 bytes 1000\nP1 0-10 MPI_Send to 3 bytes 1000\n"
               "P2 0-10 MPI_Recv from 0 bytes 1000\nP3 0-3000 w; 3000-3010 MPI_Recv from 1 bytes 1000\n")
                .ends(),
            "1105 4100 1110 4105");
}

TEST(SharedTransfers, WhoComesFirstIsServedFirstWhateverIsReplayedFirst) {
  // P1 is replayed later than P0, and comes earlier: its message is served first.
  const std::string lines = R"(
P0 0-500 w; 500-510 MPI_Send to 2 bytes 1000
P1 0-400 w; 400-410 MPI_Send to 3 bytes 1000
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-10 MPI_Recv from 1 bytes 1000
)";
  for (std::uint64_t shuffle = 0; shuffle <= 20; ++shuffle)
    EXPECT_EQ(on(sharing(1), lines, shuffle).ends(), "505 405 2510 1510") << shuffle;
}

TEST(SharedTransfers, TheMessageOfAMatchedProbeIsServedAsAnyOther) {
  const std::string lines = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-10 MPI_Send to 3 bytes 1000
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-10 MPI_Mprobe from 1 bytes 1000 req m; 10-20 MPI_Mrecv req m
)";
  EXPECT_EQ(on(sharing(1), lines).ends(), "5 5 1110 2110");
}

TEST(SharedTransfers, CollectivesShareAsMessagesDo) {
  // Pairwise: in round i each rank of a node sends to the same other node's ranks. Four ranks on two nodes, all-to-all
  // of 1000 bytes for each: twice as much crosses as one connection can take in the time of one rank.
  const std::string lines = R"(
P0 0-10 MPI_Alltoall bytes 4000
P1 0-10 MPI_Alltoall bytes 4000
P2 0-10 MPI_Alltoall bytes 4000
P3 0-10 MPI_Alltoall bytes 4000
)";
  const auto last = [&](const Network& network) {
    Nanoseconds end = 0;
    for (const auto& location : on(network, lines).text.result.locations) end = std::max(end, location.end);
    return end;
  };
  EXPECT_EQ(last(sharing(0)), last(LineNetwork()));
  EXPECT_GE(last(sharing(1)), 4000 + 100);  // four messages leave each node
  EXPECT_GT(last(sharing(1)), last(LineNetwork()));
}

TEST(SharedTransfers, TransfersOfWindowsShareWithOthers) {
  // Both ranks of node 0 put 1000 bytes to node 1: handed over at 5, gone at 1005 and 2005, there 100 later.
  const std::string lines = R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 2 bytes 1000; 2-3 MPI_Win_flush_local w0 to 2; 3-4 MPI_Win_flush_all w0; 4-5 MPI_Win_unlock_all w0
P1 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 3 bytes 1000; 2-3 MPI_Win_flush_local w0 to 3; 3-4 MPI_Win_flush_all w0; 4-5 MPI_Win_unlock_all w0
P2 0-1 w
P3 0-1 w
)";
  const auto r = on(sharing(1), lines);
  EXPECT_EQ(on(LineNetwork(), lines).ends(), "1105 1105 1 1");
  EXPECT_EQ(r.ends(), "1105 2105 1 1");
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 0), "1000 = 0 + 1000 + 0");
  EXPECT_EQ(r.parts("MPI_Win_flush_local", 1), "2000 = 0 + 2000 + 0");
  EXPECT_EQ(r.parts("MPI_Win_flush_all", 1), "100 = 0 + 100 + 0");
  // A message that was handed over before is served before.
  const std::string beside = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-3 w; 3-4 MPI_Win_lock_all w0; 4-5 MPI_Put w0 to 3 bytes 1000; 5-6 MPI_Win_unlock_all w0
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-1 w
)";
  for (std::uint64_t shuffle = 0; shuffle <= 10; ++shuffle)
    EXPECT_EQ(on(sharing(1), beside, shuffle).ends(), "5 2105 1110 1");
}

TEST(SharedTransfers, ResultsOfTransfersShareWhatTheyComeThrough) {
  // Two gets of 1000 bytes from node 1: asked for at 5, the requests are there at 105, the results leave node 1 one
  // after the other, gone at 1105 and 2105. The request of P1 is waited for alone; a put beside it is served meanwhile.
  const std::string lines = R"(
P0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Get w0 to 2 bytes 1000; 2-3 MPI_Win_unlock_all w0
P1 0-1 MPI_Win_lock_all w0; 1-2 MPI_Rget w0 to 3 bytes 1000 req a; 2-3 MPI_Put w0 to 3 bytes 5000; 3-4 MPI_Wait req a; 4-5 MPI_Win_unlock_all w0
P2 0-1 w
P3 0-1 w
)";
  const auto r = on(sharing(1), lines);
  EXPECT_EQ(r.parts("MPI_Win_unlock_all", 0), "1200 = 0 + 1200 + 0");
  EXPECT_EQ(r.parts("MPI_Wait", 1), "2195 = 0 + 2195 + 0");
  EXPECT_EQ(r.ends(), "1205 5110 1 1");
}

/// Rounds of a random exchange with uneven work: eager and rendezvous, requests and blocking calls, collectives.
std::string random_rounds(std::uint64_t seed, unsigned ranks, unsigned rounds) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 1;
  const auto draw = [&](std::uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
  };
  std::vector<std::string> lines(ranks);
  std::vector<std::uint64_t> now(ranks, 0);
  const auto add = [&](unsigned rank, std::uint64_t lasts, const std::string& call) {
    lines[rank] += "P" + std::to_string(rank) + " " + std::to_string(now[rank]) + "-" +
                   std::to_string(now[rank] + lasts) + " " + call + "\n";
    now[rank] += lasts;
  };
  for (unsigned i = 0; i < rounds; ++i) {
    const auto shift = static_cast<unsigned>(1 + draw(ranks - 1));
    const std::string bytes = std::to_string(draw(3) == 0 ? 3000 : draw(900));
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const std::string to = std::to_string((rank + shift) % ranks),
                        from = std::to_string((rank + ranks - shift) % ranks);
      if (const std::uint64_t work = draw(3000)) add(rank, work, "w");
      add(rank, 1, "MPI_Irecv from " + from + " bytes " + bytes + " req a");
      add(rank, 1, "MPI_Isend to " + to + " bytes " + bytes + " req b");
      add(rank, 1, "MPI_Waitall req a,b");
      if (i % 4 == 3) add(rank, 1, "MPI_Allreduce bytes 800");
      if (i % 4 == 1) {
        add(rank, 1, "MPI_Put w0 to " + to + " bytes " + bytes);
        add(rank, 1, "MPI_Get w0 to " + from + " bytes 300");
        add(rank, 1, "MPI_Win_fence w0");
      }
    }
  }
  std::string all;
  for (const std::string& one : lines) all += one;
  return all;
}

TEST(SharedTransfers, TimesDoNotDependOnTheOrderOfExecution) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SharingNetwork network = sharing(1 + seed % 3, seed % 2);
    network.eager_up_to = 1000;
    const std::string lines = random_rounds(seed, 6, 8);
    const std::string ends = on(network, lines).ends();
    for (std::uint64_t shuffle = 1; shuffle <= 10; ++shuffle)
      ASSERT_EQ(on(network, lines, shuffle).ends(), ends) << "seed " << seed << " shuffle " << shuffle;
    // Whoever shares nothing has the times of a network without sharing.
    SharingNetwork wide = sharing(0);
    wide.eager_up_to = 1000;
    LineNetwork line;
    line.eager_up_to = 1000;
    ASSERT_EQ(on(wide, lines).ends(), on(line, lines).ends());
    ASSERT_NE(on(network, lines).ends(), on(line, lines).ends());
  }
}

}  // namespace
}  // namespace mora::replay
