// On a network that costs something: every expected number is worked out by hand.
#include <bit>

#include "replay/costs/collective_plan.h"
#include "support/analysis/replay_on_network.h"

namespace mora::replay {
namespace {

TEST(CostedReplay, OneMessage) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100; 12-13 w
P1 0-1 w; 1-50 MPI_Recv from 0 bytes 100; 50-51 w
)");
  // P0: 10 + 5 + 1. P1: it is handed over at 15, there at 15 + 100 + 100, taken at 220.
  EXPECT_EQ(r.ends(), "16 221");
  EXPECT_EQ(r.parts("MPI_Send", 0), "5 = 0 + 0 + 5");
  EXPECT_EQ(r.parts("MPI_Recv", 1), "219 = 14 + 200 + 5");
  EXPECT_EQ(r.parts("w", 1), "2 = 0 + 0 + 0");
}

TEST(CostedReplay, AReceiverThatIsLateOnlyPaysItsOverhead) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100
P1 0-400 w; 400-450 MPI_Recv from 0 bytes 100; 450-451 w
)");
  EXPECT_EQ(r.ends(), "15 406");
  EXPECT_EQ(r.parts("MPI_Recv", 1), "5 = 0 + 0 + 5");
}

TEST(CostedReplay, ARendezvousBeginsWhenBothHaveCome) {
  LineNetwork network;
  network.eager_up_to = 50;
  const auto r = on(network, R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100; 12-13 w
P1 0-300 w; 300-450 MPI_Recv from 0 bytes 100; 450-451 w
)");
  // It begins at 300 and takes 200; the sender has waited since 15.
  EXPECT_EQ(r.ends(), "501 506");
  EXPECT_EQ(r.parts("MPI_Send", 0), "490 = 285 + 200 + 5");
  EXPECT_EQ(r.parts("MPI_Recv", 1), "205 = 0 + 200 + 5");
}

TEST(CostedReplay, RequestsCarryTheRendezvousToTheirCompletion) {
  LineNetwork network;
  network.eager_up_to = 50;
  const auto r = on(network, R"(
P0 0-10 w; 10-11 MPI_Isend to 1 bytes 100 req s; 11-61 w; 61-70 MPI_Wait req s; 70-71 w
P1 0-1 MPI_Irecv from 0 bytes 100 req a; 1-21 w; 21-90 MPI_Wait req a; 90-91 w
)");
  // P0: handed over at 15, works until 65; posted at 0: there at 215. P1: at 20 in MPI_Wait.
  EXPECT_EQ(r.ends(), "216 221");
  EXPECT_EQ(r.parts("MPI_Isend", 0), "5 = 0 + 0 + 5");
  EXPECT_EQ(r.parts("MPI_Wait", 0), "150 = 0 + 150 + 0");
  EXPECT_EQ(r.parts("MPI_Wait", 1), "200 = 0 + 195 + 5");
}

TEST(CostedReplay, AMessageThatWasProbedIsTransferredAsAnyOther) {
  const std::string lines = R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100; 12-13 w
P1 0-1 w; 1-20 MPI_Mprobe from 0 bytes 100 req m; 20-30 w; 30-50 MPI_Mrecv req m; 50-51 w
)";
  // Handed over at 15, found then; P1 works until 25 and has it at 215.
  const auto r = on(LineNetwork(), lines);
  EXPECT_EQ(r.ends(), "16 221");
  EXPECT_EQ(r.parts("MPI_Mprobe", 1), "14 = 14 + 0 + 0");
  EXPECT_EQ(r.parts("MPI_Mrecv", 1), "195 = 0 + 190 + 5");
  // A rendezvous begins when it is found, and its sender waits for its end.
  LineNetwork network;
  network.eager_up_to = 50;
  EXPECT_EQ(on(network, lines).ends(), "216 221");
}

TEST(CostedReplay, ASenderThatIsBehindIsWaitedForInTheReceivingWait) {
  const auto r = on(LineNetwork(), R"(
P0 0-50 w; 50-51 MPI_Send to 1 bytes 0
P1 0-1 MPI_Irecv from 0 bytes 0 req a; 1-90 MPI_Wait req a
)");
  EXPECT_EQ(r.parts("MPI_Wait", 1), "160 = 55 + 100 + 5");
}

TEST(CostedReplay, TwoMessagesOfOneSenderAreAGapApart) {
  LineNetwork network;
  network.gap = 300;
  const auto r = on(network, R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100; 12-13 MPI_Send to 1 bytes 100; 13-14 w
P1 0-10 MPI_Recv from 0 bytes 100; 10-20 MPI_Recv from 0 bytes 100
)");
  // Handed over at 15 and 315; P0's processor goes on at 20.
  EXPECT_EQ(r.ends(), "21 520");
}

TEST(CostedReplay, MessagesEnterTheirReceiverOneAfterTheOther) {
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Irecv from 1 bytes 1000 req a; 1-2 MPI_Irecv from 2 bytes 1000 req b; 2-3 MPI_Waitall req a,b
P1 0-10 MPI_Send to 0 bytes 1000
P2 0-10 MPI_Send to 0 bytes 1000
)");
  // Both are handed over at 5: bytes from 105, until 1105 and 2105; each takes 5 of the processor.
  EXPECT_EQ(r.ends(), "2110 5 5");
}

TEST(CostedReplay, APortThatWasIdleTakesWhatCameMeanwhile) {
  // The message of P2 came long before that of P1, which is completed first.
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Irecv from 1 bytes 1000 req a; 1-2 MPI_Irecv from 2 bytes 1000 req b; 2-3 MPI_Waitall req a,b
P1 0-5000 w; 5000-5010 MPI_Send to 0 bytes 1000
P2 0-10 MPI_Send to 0 bytes 1000
)");
  EXPECT_EQ(r.ends(), "6115 5005 5");
}

TEST(CostedReplay, ASynchronousSendWaitsForTheReceiveWhateverItsSize) {
  const auto r = on(LineNetwork(), R"(
P0 0-10 w; 10-12 MPI_Ssend to 1 bytes 0; 12-13 w
P1 0-300 w; 300-450 MPI_Recv from 0 bytes 0
)");
  EXPECT_EQ(r.ends(), "401 305");
}

TEST(CostedReplay, LargeSendsToEachOtherAreADeadlockOfTheProgram) {
  LineNetwork network;
  network.eager_up_to = 50;
  const std::string lines = R"(
P0 0-10 MPI_Send to 1 bytes 100; 10-20 MPI_Recv from 1 bytes 100
P1 0-10 MPI_Send to 0 bytes 100; 10-20 MPI_Recv from 0 bytes 100
P2 0-10 w
)";
  const auto r = on(network, lines);
  ASSERT_EQ(r.text.result.blocked.size(), 2U);
  const BlockedCall& first = r.text.result.blocked[0];
  EXPECT_EQ(first.location, 0U);
  EXPECT_EQ(first.waits_for, 1U);
  EXPECT_EQ(r.text.definitions.regions[r.text.result.locations[0].nodes[first.node].region].name, "MPI_Send");
  EXPECT_TRUE(on(LineNetwork(), lines).text.result.blocked.empty());
}

TEST(CostedReplay, ComputationIsScaledAndCallsAreNot) {
  const std::string lines = R"(
P0 0-10 w; 10-12 MPI_Send to 1 bytes 100; 12-14 w
P1 0-1 MPI_Recv from 0 bytes 100
)";
  EXPECT_EQ(on(LineNetwork(), lines, 0, 2'500'000).ends(), "35 235");
  EXPECT_EQ(on(LineNetwork(), lines, 0, 0).ends(), "5 210");
}

TEST(CostedReplay, CollectivesAreTheirMessagesAlsoOnAPartOfTheRanks) {
  LineNetwork network;
  network.far = 1000;
  // Ranks 0 and 2, both near. P0 hands over at 15: there at 139. P2 at 35: there at 159.
  const auto r = on(network, R"(
comm PAIR = 2,0
P0 0-10 w; 10-50 MPI_Allreduce comm PAIR bytes 24; 50-51 w
P1 0-7 w
P2 0-30 w; 30-50 MPI_Allreduce comm PAIR bytes 24; 50-51 w
)");
  EXPECT_EQ(r.ends(), "165 7 145");
  EXPECT_EQ(r.parts("MPI_Allreduce", 0), "154 = 20 + 124 + 10");
  EXPECT_EQ(r.parts("MPI_Allreduce", 2), "114 = 0 + 104 + 10");
}

TEST(CostedReplay, WhoIsOnTheWayOfABroadcastPassesItOn) {
  // Binomial from 0: 0 → 2, 0 → 1, 2 → 3. P2 comes at 1000.
  const auto r = on(LineNetwork(), R"(
P0 0-10 MPI_Bcast root 0 bytes 20
P1 0-10 MPI_Bcast root 0 bytes 20
P2 0-1000 w; 1000-1010 MPI_Bcast root 0 bytes 20
P3 0-10 MPI_Bcast root 0 bytes 20
)");
  EXPECT_EQ(r.ends(), "10 135 1010 1135");
}

TEST(CostedReplay, VectorVariantsGoStraight) {
  // P0 gets 4 from P2; P1 4 from P0 and 4 from P2; P2 nothing.
  const auto r = on(LineNetwork(), R"(
P0 0-10 MPI_Alltoallv counts 0,4,0,0,0,4
P1 0-10 MPI_Alltoallv counts 0,0,0,4,0,4
P2 0-10 MPI_Alltoallv counts 4,4,0,0,0,0
)");
  // P2 sends to 0 at 5, to 1 at 10. P0: sends at 5, has P2's at 109, 114. P1: P0's at 109 + 5, P2's at 114 + 5.
  EXPECT_EQ(r.ends(), "114 119 10");
  const auto g = on(LineNetwork(), R"(
P0 0-10 MPI_Gatherv root 0 sent 0 recvd 6 counts 0,2,4
P1 0-10 MPI_Gatherv root 0 sent 2 recvd 0
P2 0-10 MPI_Gatherv root 0 sent 4 recvd 0
)");
  // Bytes enter P0 from 105: until 107 and 111.
  EXPECT_EQ(g.ends(), "117 5 5");
}

TEST(CostedReplay, WhatNobodyCameForIsNotTheNextOperations) {
  // P0 says that it sends 1000 bytes, and P1 that it gets none.
  const std::string lines = R"(
P0 0-10 MPI_Alltoallv counts 0,1000,0,0; 10-20 MPI_Barrier; 20-510 w; 510-520 MPI_Alltoallv counts 0,4,0,4
P1 0-10 MPI_Alltoallv counts 0,0,0,0; 10-20 MPI_Barrier; 20-30 MPI_Alltoallv counts 4,0,4,0
)";
  // The barrier's messages are handed over at 10 and 5, P1 is through at 115, P0 at 110. P0 sends at 605.
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(on(LineNetwork(), lines, seed).ends(), "610 714");
  // The memory serves the 1000 bytes until 1005, P1's until 1009, P0's until 1013.
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(on(sharing(0, 1), lines, seed).ends(), "1114 1118");
}

TEST(CostedReplay, ABufferedSendLeavesNothing) {
  const std::string lines = R"(
P0 0-10 w; 10-12 MPI_Bsend to 1 bytes 100; 12-13 w
P1 0-300 w; 300-450 MPI_Recv from 0 bytes 100; 450-451 w
)";
  LineNetwork alone;
  SharingNetwork shared = sharing(0, 1);
  alone.eager_up_to = shared.eager_up_to = 50;
  for (const Network* network : {static_cast<const Network*>(&alone), static_cast<const Network*>(&shared)}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto r = on(*network, lines, seed);
      EXPECT_EQ(r.ends(), "16 506");
      EXPECT_EQ(r.text.result.under_way, 0U);
    }
  }
}

TEST(CostedReplay, ANonBlockingCollectiveOverlaps) {
  const auto r = on(LineNetwork(), R"(
P0 0-1 MPI_Ibarrier req a; 1-501 w; 501-510 MPI_Wait req a; 510-511 w
P1 0-1 MPI_Ibarrier req a; 1-21 w; 21-510 MPI_Wait req a; 510-511 w
)");
  EXPECT_EQ(r.ends(), "501 111");
}

TEST(CostedReplay, TheOrderOfExecutionIsFree) {
  LineNetwork network;
  network.eager_up_to = 50;
  network.gap = 7;
  const std::string lines = R"(
P0 0-10 w; 10-11 MPI_Isend to 1 bytes 100 req s; 11-12 MPI_Irecv from 2 bytes 9 req a; 12-30 MPI_Waitall req s,a; 30-40 MPI_Allreduce bytes 64; 40-50 MPI_Alltoall bytes 60
P1 0-20 w; 20-30 MPI_Recv from 0 bytes 100; 30-31 MPI_Send to 2 bytes 8; 31-40 MPI_Allreduce bytes 64; 40-50 MPI_Alltoall bytes 60
P2 0-5 w; 5-6 MPI_Send to 0 bytes 9; 6-30 MPI_Recv from 1 bytes 8; 30-40 MPI_Allreduce bytes 64; 40-50 MPI_Alltoall bytes 60
)";
  const std::string ends = on(network, lines).ends();
  for (std::uint64_t shuffle = 1; shuffle <= 50; ++shuffle) {
    const OnNetwork other = on(network, lines, shuffle);
    EXPECT_EQ(other.ends(), ends);
    EXPECT_EQ(other.text.result.under_way, 0U);
  }
}

TEST(CostedReplay, ANetworkOfZerosIsTheIdealOneForMessages) {
  LineNetwork network;
  network.send_overhead = network.receive_overhead = network.latency = network.per_byte = 0;
  const std::string lines = R"(
P0 0-10 w; 10-40 MPI_Sendrecv to 1 from 2 bytes 10; 40-41 w; 41-50 MPI_Ssend to 1 bytes 10
P1 0-20 w; 20-40 MPI_Sendrecv to 2 from 0 bytes 10; 40-41 w; 41-60 w; 60-61 MPI_Recv from 0 bytes 10
P2 0-30 w; 30-40 MPI_Sendrecv to 0 from 1 bytes 10; 40-41 w
)";
  EXPECT_EQ(on(network, lines).ends(), replay_text(lines).ends());
}

// ---- collectives from a common start against closed forms (Thakur 2005; Alexandrov 1995)

Nanoseconds hop(std::uint64_t bytes) { return 5 + 100 + static_cast<Nanoseconds>(bytes) + 5; }

Nanoseconds last_of(const mpi::schedule::Algorithm& algorithm, std::uint32_t ranks, const Network& network) {
  std::vector<std::uint32_t> world(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) world[i] = i;
  const auto times = synchronous_times(plan_of(algorithm, ranks), world, network);
  return *std::max_element(times.begin(), times.end());
}

TEST(CostedReplay, CollectivesFromACommonStartCostTheirClosedForms) {
  using namespace mpi::schedule;
  const LineNetwork n;
  for (std::uint32_t ranks = 2; ranks <= 64; ++ranks) {
    const auto levels = static_cast<Nanoseconds>(std::bit_width(ranks - 1));
    const auto others = static_cast<Nanoseconds>(ranks) - 1;
    const auto run = [&](const std::function<void(const Sink&)>& f) { return last_of({"", f}, ranks, n); };
    EXPECT_EQ(run([&](const Sink& s) { barrier_dissemination(ranks, s); }), levels * hop(0)) << ranks;
    EXPECT_EQ(run([&](const Sink& s) { allgather_ring(Blocks::uniform(ranks, 40), s); }), others * hop(40)) << ranks;
    EXPECT_EQ(run([&](const Sink& s) { bcast(Tree::chain, ranks, 0, 40, s); }), others * hop(40)) << ranks;
    // The root hands over every 5 ns, before it has a port to wait for.
    EXPECT_EQ(run([&](const Sink& s) { bcast(Tree::linear, ranks, 0, 40, s); }), (others - 1) * 5 + hop(40)) << ranks;
    // The root's port: one block after the other, and its processor between.
    EXPECT_EQ(run([&](const Sink& s) { gather(Tree::linear, 0, Blocks::uniform(ranks, 40), s); }),
              105 + others * 40 + 5)
        << ranks;
    EXPECT_EQ(run([&](const Sink& s) { alltoall_pairwise(ranks, 40, s); }), others * hop(40)) << ranks;
    if (!std::has_single_bit(ranks)) continue;
    EXPECT_EQ(run([&](const Sink& s) { allreduce_doubling(ranks, 40, s); }), levels * hop(40)) << ranks;
    EXPECT_EQ(run([&](const Sink& s) { bcast(Tree::binomial_low, ranks, 0, 40, s); }), levels * hop(40)) << ranks;
    Nanoseconds halves = 0, grows = 0;
    for (std::uint64_t part = 32; part <= std::uint64_t{32} * ranks / 2; part *= 2) halves += hop(part);
    for (std::uint64_t part = 1; part < ranks; part *= 2) grows += hop(40 * part);
    EXPECT_EQ(run([&](const Sink& s) { allreduce_rabenseifner(Fold::whole, ranks, std::uint64_t{4} * ranks, 8, s); }),
              2 * halves);
    EXPECT_EQ(run([&](const Sink& s) { allgather_doubling(Blocks::uniform(ranks, 40), s); }), grows) << ranks;
  }
}

TEST(CostedReplay, MoreLatencyIsNeverFasterForAChain) {
  Nanoseconds before = 0;
  for (Nanoseconds latency = 0; latency < 1000; latency += 100) {
    LineNetwork n;
    n.latency = latency;
    const Nanoseconds now = last_of(
        {"", [](const mpi::schedule::Sink& s) { allgather_ring(mpi::schedule::Blocks::uniform(7, 40), s); }}, 7, n);
    EXPECT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace mora::replay
