#include <gtest/gtest.h>

#include "predict/pattern/text/text_trace.h"

namespace mora::predict {
namespace {

/// Four ranks; communicators WORLD, SELF, (3 1) of a split, the inter-communicator (0 1 | 2 3); types int, 16 bytes
/// with holes, bytes.
PatternTrace four_ranks() {
  PatternTrace trace;
  auto& d = trace.definitions;
  d.world_size = 4;
  d.datatypes = {
      {"MPI_INT", 4, 4, true, true, 1}, {"vector", 16, 32, false, false, 101}, {"MPI_BYTE", 1, 1, true, true, 6}};
  d.communicators.resize(4);
  d.communicators[0].name = "MPI_COMM_WORLD";
  d.communicators[0].members = {0, 1, 2, 3};
  d.communicators[1].name = "MPI_COMM_SELF";
  d.communicators[2] = {"mini_comm_0_5", Operation::comm_split, 0, 0, 5, -3, {3, 1}, {}};
  d.communicators[3] = {"mini_comm_1_0", Operation::intercomm_create, no_id, 1, 0, 0, {0, 1}, {2, 3}};
  d.phases = {"a phase"};
  return trace;
}

std::string text_of(const std::vector<Call>& calls, std::uint32_t rank = 1,
                    std::vector<std::vector<std::uint64_t>> vectors = {}, DataQuality* quality = nullptr) {
  auto trace = four_ranks();
  RankTraceBuilder builder(rank);
  for (auto& v : vectors) builder.vector(std::move(v));
  for (const auto& call : calls) builder.add(call);
  trace.ranks.push_back(builder.finish());
  std::string text;
  DataQuality ignored;
  to_text_records(
      trace, trace.ranks[0], [&](const TextRecord& r) { append_text_record(r, text); }, quality ? *quality : ignored);
  return text;
}

Call call(Operation operation, std::uint32_t communicator = 0, std::int32_t peer = peer_none, Payload sent = {},
          Payload received = {}) {
  Call c;
  c.operation = operation;
  c.communicator = communicator;
  c.peer = peer;
  c.sent = sent;
  c.received = received;
  return c;
}

const Payload ints{10, 0}, holes{2, 1}, raw{40, 2};

TEST(ToText, RootedCallsTellTheRootOnOtherCommunicatorsByTheOwnLocalRank) {
  EXPECT_EQ(text_of({call(Operation::bcast, 0, 3, ints, ints), call(Operation::bcast, 2, 0, ints, ints),
                     call(Operation::gather, 2, 1, ints, raw), call(Operation::scatter, 1, 0, {}, holes)}),
            "1 bcast 10 (of 4 bytes) 3 of type 1 on comm MPI_COMM_WORLD\n"
            "1 bcast 10 (of 4 bytes) 0 of type 1 on comm mini_comm_0_5 1\n"
            "1 gather 10 (of 4 bytes) 1 of types 1, 6 on comm mini_comm_0_5 1\n"
            "1 scatter 2 (of 16 bytes) 0 of type 101 on comm MPI_COMM_SELF 0\n");
}

TEST(ToText, IdsOfRootlessCallsAreCountedForEachCommunicatorAndBarriersHaveNone) {
  const auto world = call(Operation::allreduce, 0, peer_none, ints, ints),
             other = call(Operation::alltoall, 2, peer_none, ints, ints);
  EXPECT_EQ(text_of({world, call(Operation::barrier), other, call(Operation::iallreduce, 0, peer_none, ints, ints),
                     world, other}),
            "1 allReduce 10 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\n"
            "1 barrier on comm MPI_COMM_WORLD\n"
            "1 allToAll 10 (of 4 bytes) of type 1 on comm mini_comm_0_5 1\n"
            "1 Iallreduce 10 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 2\n"
            "1 allReduce 10 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 3\n"
            "1 allToAll 10 (of 4 bytes) of type 1 on comm mini_comm_0_5 2\n");
}

TEST(ToText, VectorCallsCountWhatMinICountsAndTheMedianIsExact) {
  auto gatherv = call(Operation::gatherv, 0, 1, ints, {60, 2});
  gatherv.received_vector = 0;
  auto away = call(Operation::gatherv, 0, 0, ints, {});
  auto allgatherv = call(Operation::allgatherv, 0, peer_none, {1, 1}, {15, 0});
  allgatherv.received_vector = 0;  // counted in ints, printed with the send type's size
  auto odd = call(Operation::alltoallv, 0, peer_none, {11, 0}, {11, 0});
  odd.sent_vector = 1;
  auto in_place = odd;
  in_place.in_place = true;
  in_place.sent = {};
  auto mixed = call(Operation::alltoallw);
  mixed.sent_vector = 1;
  auto neighbours = call(Operation::neighbor_alltoallv, 0, peer_none, {3, 0}, {3, 0});
  neighbours.sent_vector = 2;
  EXPECT_EQ(text_of({gatherv, away, allgatherv, odd, in_place, mixed, neighbours}, 1,
                    {{8, 12, 20, 20}, {4, 12, 8, 20}, {0, 4, 3, 8}}),
            "1 gatherv min=8 median=16.000000 max=20 (of 1 bytes) 1 of types 1, 6 on comm MPI_COMM_WORLD\n"
            "1 gatherv min=10 median=10.000000 max=10 (of 4 bytes) 0 of type 1 on comm MPI_COMM_WORLD\n"
            "1 allgatherv min=2 median=4.000000 max=5 (of 16 bytes) of types 101, 1 on comm MPI_COMM_WORLD 1\n"
            "1 alltoAllv min=1 median=2.500000 max=5 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 2\n"
            "1 alltoAllv min=1 median=2.500000 max=5 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 3\n"
            "1 Alltoallw min=4 median=10.000000 max=20 (of 1 bytes) of type 6 on comm MPI_COMM_WORLD 4\n"
            "1 Neighbor_alltoallv min=1 median=1.500000 max=2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 5\n");
}

TEST(ToText, NothingIsWrittenForNobody) {
  auto both = call(Operation::sendrecv, 0, peer_none, ints, holes);
  both.peer2 = 2;
  auto unknown = call(Operation::irecv, 0, peer_any, {}, ints);
  unknown.posted_any_source = true;
  DataQuality quality;
  EXPECT_EQ(text_of({call(Operation::send, 0, peer_none, ints), both, unknown, call(Operation::probe),
                     call(Operation::other)},
                    1, {}, &quality),
            "1 Sendrecv(r) 2 2 (of 16 bytes) 101 on comm MPI_COMM_WORLD\n");
  ASSERT_EQ(quality.rows().size(), 1u);
  EXPECT_EQ(quality.rows()[0].kind, "text-unknown-source");
}

TEST(ToText, CommunicatorsAndPhases) {
  auto split = call(Operation::comm_split);
  split.argument = 2;
  split.tag2 = -1;
  auto dup = call(Operation::comm_dup, 2);
  dup.argument = 2;
  auto inter = call(Operation::intercomm_create, no_id);
  inter.argument = 3;
  auto begin = call(Operation::phase_begin, no_id);
  begin.argument = 0;
  auto end = begin;
  end.operation = Operation::phase_end;
  EXPECT_EQ(text_of({begin, split, dup, inter, call(Operation::comm_split), call(Operation::cart_create),
                     call(Operation::comm_free, 2), end}),
            "Phase a phase start.\n"
            "1 Comm split. color=5, key=-1.New comm mini_comm_0_5 of size 2\n"
            "1 Comm dup. color=5, key=1.New comm mini_comm_0_5 of size 2\n"
            "1 Comm Intercomm_create. color=0, key=1.New comm mini_comm_1_0 of size 4\n"
            "Comm split invoked by process but with color=MPI_UNDEFINED\n"
            "Comm Cart_create invoked by process but with color=MPI_UNDEFINED\n"
            "Comm mini_comm_0_5 free.\n"
            "Phase a phase end.\n");
  EXPECT_EQ(text_of({inter}, 3), "3 Comm Intercomm_create. color=1, key=1.New comm mini_comm_1_0 of size 4\n");
}

TEST(ToText, OfAnInterCommunicatorOnlyTheRootWrites) {
  EXPECT_EQ(text_of({call(Operation::bcast, 3, root_here, ints, ints), call(Operation::bcast, 3, 1, ints, ints),
                     call(Operation::bcast, 3, peer_none, ints, ints)}),
            "1 bcast 10 (of 4 bytes) 1 of type 1 on comm mini_comm_1_0 1\n");
  EXPECT_EQ(text_of({call(Operation::bcast, 3, root_here, ints, ints)}, 2),
            "2 bcast 10 (of 4 bytes) 0 of type 1 on comm mini_comm_1_0 0\n");
}

/// The reader understands each line that the writer writes, and gives it back.
TEST(ToText, EveryLineIsReadBack) {
  for (const char* line :
       {"0 init 1",
        "3 finalize",
        "0 wait",
        "0 waitall",
        "0 Waitany",
        "0 Waitsome",
        "Tested 1.",
        "0 Testall",
        "0 barrier on comm MPI_COMM_WORLD",
        "0 Ibarrier on comm mini_comm_0_0",
        "0 Irecv 3 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD",
        "5 Sendrecv(s) 1 2 (of 16 bytes) 101 on comm mini_comm_10_12345",
        "5 Sendrecv_replace(r) 1 2 (of 16 bytes) 101 on comm MPI_COMM_SELF",
        "1 Put 2 2 (of 4 bytes) 1 on comm MPI_COMM_WORLD",
        "5 bcast 2 (of 8 bytes) 1 of type 0 on comm mini_comm_0_1 2",
        "1 gather 10 (of 4 bytes) 1 of types 1, 6 on comm MPI_COMM_WORLD",
        "1 gatherv min=1 median=2.500000 max=4 (of 4 bytes) 1 of type 1 on comm MPI_COMM_WORLD",
        "1 Iscatterv min=0 median=0.000000 max=4 (of 4 bytes) 0 of types 1, 100 on comm mini_comm_0_5 1",
        "1 allGather 2 (of 4 bytes) of types 1, 6 8 (of 1 bytes) on comm MPI_COMM_WORLD 1",
        "1 reduceScatter min=1 median=2.500000 max=4 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 5",
        "0 Comm split. color=0, key=-7.New comm mini_comm_0_0 of size 4",
        "0 Comm Cart_create. color=0, key=0.New comm mini_comm_0_0 of size 4",
        "Comm split invoked by process but with color=MPI_UNDEFINED",
        "Comm create invoked by process but with color=MPI_UNDEFINED",
        "Comm mini_comm_0_0 free.",
        "Phase a phase start. start.",
        "Phase x end.",
        "1 Win_fence on comm MPI_COMM_WORLD",
        "1 File_write 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD",
        "1 File_open on comm MPI_COMM_WORLD"}) {
    TextRecord record;
    Error error;
    ASSERT_TRUE(parse_text_record(line, record, error)) << line << ": " << error.text();
    std::string again;
    append_text_record(record, again);
    EXPECT_EQ(again, std::string(line) + "\n");
  }
}

}  // namespace
}  // namespace mora::predict
