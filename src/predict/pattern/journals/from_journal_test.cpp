#include "predict/pattern/journals/from_journal.h"

#include <fstream>
#include <random>

#include "predict/pattern/text/text_trace.h"
#include "support/pattern/recorded_job.h"

namespace mora::predict {
namespace {

PatternTrace read(const ScriptedJob& job, Origin origin = Origin::record) {
  auto trace = read_pattern_journals(job.directory(), origin);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? std::move(*trace) : PatternTrace{};
}

/// The calls in order, MPI_Init and MPI_Finalize left out.
std::vector<Call> calls(const RankTrace& rank) {
  std::vector<Call> out;
  auto cursor = rank.order.cursor();
  for (std::uint32_t at; cursor.next(at);)
    if (rank.calls[at].operation != Operation::init && rank.calls[at].operation != Operation::finalize)
      out.push_back(rank.calls[at]);
  return out;
}

std::uint64_t quality(const PatternTrace& trace, const std::string& kind) {
  std::uint64_t n = 0;
  for (const auto& row : trace.quality.rows())
    if (row.kind == kind) n += row.count;
  return n;
}

const Completion& completion(const RankTrace& rank, const Call& call, std::size_t i) {
  return rank.completions.at(call.completions).at(i);
}

TEST(FromJournal, TurnsOfALoopFoldThoughTheirRequestsHaveOtherNumbers) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  for (std::uint64_t turn = 0; turn < 1000; ++turn) {
    r.irecv(1, 3, 2 * turn + 1);
    r.isend(1, 3, 2 * turn + 2);
    r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0,
           r.all({r.received(2 * turn + 1, 1, 12), r.sent(2 * turn + 2, 1, 12)}));
  }
  r.finish();
  job.rank(1).finish();
  const auto trace = read(job);
  ASSERT_EQ(trace.ranks.size(), 2u);
  const auto& rank = trace.ranks[0];
  EXPECT_EQ(rank.order.size(), 3002u);
  EXPECT_EQ(rank.calls.size(), 5u);
  EXPECT_LE(rank.order.items.size(), 3u);
  EXPECT_TRUE(rank.complete);
  const auto list = calls(rank);
  EXPECT_EQ(list[0].operation, Operation::irecv);
  EXPECT_EQ(list[0].received, (Payload{3, 0}));
  EXPECT_EQ(list[1].sent, (Payload{3, 0}));
  EXPECT_EQ(completion(rank, list[2], 0), (Completion{1, 1, 0, 12, false}));
  EXPECT_EQ(completion(rank, list[2], 1), (Completion{0, peer_none, tag_any, 0, false}));
  EXPECT_EQ(trace.definitions.datatypes, (std::vector<Datatype>{{"MPI_INT", 4, 4, true, true, 1}}));
  EXPECT_EQ(trace.definitions.hosts, (std::vector<std::string>{"node1", "node1"}));
  EXPECT_EQ(trace.definitions.program, "app");
  EXPECT_TRUE(trace.quality.empty());
}

TEST(FromJournal, WildcardsStandWhereTheyWerePostedWithTheSourceOfTheirCompletion) {
  ScriptedJob job(4);
  auto& r = job.rank(0);
  r.irecv(MORA_PEER_ANY, 1, 1, 5);
  r.irecv(MORA_PEER_ANY, 1, 2, 5);
  r.irecv(3, 1, 3, MORA_TAG_ANY);
  r.irecv(MORA_PEER_ANY, 1, 4, 9);  // never completed
  r.irecv(MORA_PEER_ANY, 1, 5, 9);  // cancelled
  r.call("MPI_Wait", MORA_SHAPE_COMPLETE, 0, r.received(2, 1, 4, 5));
  r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0, r.all({r.received(3, 3, 4, 77), r.received(1, 2, 4, 5)}));
  r.call("MPI_Wait", MORA_SHAPE_COMPLETE, 0, {5, pair_of(MORA_PEER_ANY, 9), 0, pair_of(0, MORA_CANCELLED)});
  r.finish();
  for (std::uint32_t other = 1; other < 4; ++other) job.rank(other).finish();
  const auto trace = read(job);
  const auto list = calls(trace.ranks[0]);
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[0].peer, 2);
  EXPECT_TRUE(list[0].posted_any_source);
  EXPECT_EQ(list[1].peer, 1);
  EXPECT_EQ(list[2].peer, 3);
  EXPECT_EQ(list[2].tag, 77);
  EXPECT_TRUE(list[2].posted_any_tag);
  EXPECT_FALSE(list[2].posted_any_source);
  EXPECT_EQ(list[3].peer, peer_any);
  EXPECT_EQ(list[4].peer, peer_any);
  EXPECT_EQ(completion(trace.ranks[0], list[5], 0).age, 3u);  // request 2 of 5
  EXPECT_EQ(completion(trace.ranks[0], list[6], 1).age, 4u);
  EXPECT_TRUE(completion(trace.ranks[0], list[7], 0).cancelled);
  EXPECT_EQ(quality(trace, "receive-without-source"), 1u);  // the cancelled one lacks none
}

TEST(FromJournal, PersistentOperationsAreOneCallForEachStart) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  r.data(1, 6, 0, -1);
  r.call("MPI_Ssend_init", MORA_SHAPE_CALL, 0, {});
  r.data(1, 2, 1, 2);
  r.call("MPI_Allreduce_init", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 8, 8, 1});
  r.data(1, 6, 0, -1);
  r.data(0, -1, 0, -1);
  r.call("MPI_Startall", MORA_SHAPE_START, 0,
         r.all({{2, pair_of(1, 3), 24, pair_of(0, MORA_COMPLETED_SEND)},
                {3, pair_of(-1, -1), 1, pair_of(0, MORA_COMPLETED_OTHER)}}));
  r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0,
         r.all({r.sent(2, 1, 24, 3), {3, pair_of(-1, -1), 0, pair_of(0, MORA_COMPLETED_OTHER)}}));
  r.finish();
  job.rank(1).finish();
  const auto trace = read(job);
  const auto list = calls(trace.ranks[0]);
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].operation, Operation::send_init);
  EXPECT_EQ(list[1].operation, Operation::collective_init);
  EXPECT_EQ(list[2].operation, Operation::start_send);
  EXPECT_EQ(list[2].peer, 1);
  EXPECT_EQ(list[2].tag, 3);
  EXPECT_EQ(list[2].sent, (Payload{6, 0}));
  EXPECT_EQ(list[3].operation, Operation::iallreduce);  // what its start does
  EXPECT_EQ(list[3].sent, (Payload{2, 0}));
  EXPECT_EQ(completion(trace.ranks[0], list[4], 0).age, 1u);
  EXPECT_EQ(completion(trace.ranks[0], list[4], 1).age, 0u);
}

TEST(FromJournal, MatchedProbesAreNoRequestsUntilTheyAreReceived) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  r.data(0, -1, 0, -1, pair_of(MORA_PEER_ANY, 4));
  r.call("MPI_Mprobe", MORA_SHAPE_IRECV, 0, {pair_of(1, 4), 8, 1});
  r.isend(1, 1, 2);
  r.data(0, -1, 1, 2, 1);
  r.call("MPI_Imrecv", MORA_SHAPE_CALL, 0, {});
  r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0, r.all({r.received(1, 1, 8, 4), r.sent(2, 1, 4)}));
  r.finish();
  job.rank(1).finish();
  const auto trace = read(job);
  const auto list = calls(trace.ranks[0]);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].operation, Operation::mprobe);
  EXPECT_TRUE(list[0].posted_any_source);
  EXPECT_EQ(list[2].operation, Operation::imrecv);
  EXPECT_EQ(list[2].peer, 1);
  EXPECT_EQ(list[2].tag, 4);
  EXPECT_EQ(list[2].received, (Payload{2, 0}));
  EXPECT_EQ(completion(trace.ranks[0], list[3], 0).age, 0u);
  EXPECT_EQ(completion(trace.ranks[0], list[3], 1).age, 1u);
}

TEST(FromJournal, RequestsOfFilesAreNoneOfCommunication) {
  ScriptedJob job(1);
  auto& r = job.rank(0);
  r.record(0, MORA_SHAPE_DEFINE_FILE, 0, 3, {pair_of(0, 0)});
  r.isend(0, 1, 1);
  r.data(1, 5, 1, 5);
  r.call("MPI_File_iread", MORA_SHAPE_IO, 3, {20, 0, 2});
  r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0,
         r.all({{2, pair_of(-1, -1), 20, pair_of(0, MORA_COMPLETED_OTHER)}, r.sent(1, 0, 4)}));
  r.finish();
  const auto trace = read(job);
  const auto list = calls(trace.ranks[0]);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].operation, Operation::file_read);
  EXPECT_EQ(list[1].received, (Payload{5, 0}));
  EXPECT_EQ(list[1].communicator, 0u);
  ASSERT_EQ(trace.ranks[0].completions.at(list[2].completions).size(), 1u);
  EXPECT_EQ(completion(trace.ranks[0], list[2], 0).age, 0u);
}

TEST(FromJournal, NullCommunicatorsCountAsCreationsSoThatAllRanksAgreeOnNames) {
  ScriptedJob job(3);
  const auto split = [](ScriptedRank& r, std::int32_t color, std::int32_t key) {
    r.data(0, -1, 0, -1, pair_of(color, key));
    r.call("MPI_Comm_split", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 0, 0});
  };
  // First split: rank 0 has no part; 2 comes before 1. Second split: everybody. Then a communicator without a common
  // parent call.
  split(job.rank(0), INT32_MIN, 0);
  for (std::uint32_t r : {1u, 2u}) {
    job.rank(r).communicator(2, 0, 0, MORA_COMM_COLLECTIVE, 2, {pair_of(2, 1)});
    split(job.rank(r), 7, r == 1 ? 9 : 5);
  }
  for (std::uint32_t r = 0; r < 3; ++r) {
    auto& rank = job.rank(r);
    rank.communicator(3, 0, 1, MORA_COMM_COLLECTIVE, 3, {pair_of(0, 1), pair_of(2, 0)});
    split(rank, 0, 0);
    if (r < 2) {
      rank.communicator(4, 0, 0, MORA_COMM_GROUP, 2, {pair_of(0, 1)}, 0, 5);
      rank.call("MPI_Comm_create_group", MORA_SHAPE_COLLECTIVE, 4, {pair_of(-1, 0), 0, 0});
    }
    rank.call("MPI_Comm_free", MORA_SHAPE_COLLECTIVE, 3, {pair_of(-1, 0), 0, 0});
    rank.finish();
  }
  const auto trace = read(job);
  const auto& all = trace.definitions.communicators;
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(all[0].members, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(all[1].name, "MPI_COMM_SELF");
  EXPECT_TRUE(all[1].members.empty());
  EXPECT_EQ(all[2].name, "mini_comm_1_0");
  EXPECT_EQ(all[3].name, "mini_comm_2_0");
  EXPECT_EQ(all[3].made_by, Operation::comm_create_group);
  EXPECT_EQ(all[3].members, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(all[4].name, "mini_comm_0_7");
  EXPECT_EQ(all[4].members, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(all[4].key, 5);
  EXPECT_EQ(all[4].parent, 0u);
  const auto first = calls(trace.ranks[0]), second = calls(trace.ranks[1]);
  EXPECT_EQ(first[0].argument, no_id);
  EXPECT_EQ(first[1].argument, 2u);
  EXPECT_EQ(first[2].argument, 3u);
  EXPECT_EQ(first[2].communicator, 0u);
  EXPECT_EQ(first[3].operation, Operation::comm_free);
  EXPECT_EQ(first[3].communicator, 2u);
  EXPECT_EQ(second[0].argument, 4u);
  EXPECT_EQ(second[0].tag2, 9);
}

TEST(FromJournal, SiblingsWithoutColourAreNumberedByTheirLowestRank) {
  ScriptedJob job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    auto& rank = job.rank(r);
    const int low = r % 2 == 0 ? 0 : 1;
    rank.communicator(2, 0, 0, MORA_COMM_COLLECTIVE, 2, {pair_of(low, low + 2)});
    rank.call("MPI_Cart_sub", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 0, 0});
    rank.finish();
  }
  const auto trace = read(job);
  ASSERT_EQ(trace.definitions.communicators.size(), 4u);
  EXPECT_EQ(trace.definitions.communicators[2].name, "mini_comm_0_0");
  EXPECT_EQ(trace.definitions.communicators[2].members, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(trace.definitions.communicators[3].name, "mini_comm_0_1");
}

TEST(FromJournal, VectorsGiveTheSumAndNeighboursPairs) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  r.data(1, -1, 1, -1);
  r.call("MPI_Alltoallv", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 12, 20});
  r.call("MPI_Alltoallv", MORA_SHAPE_VECTOR, 0, {pair_of(0, 2), 4, 8});
  r.call("MPI_Alltoallv", MORA_SHAPE_VECTOR, 0, {pair_of(1, 2), 8, 12});
  r.data(1, 2, 1, 2);
  r.call("MPI_Neighbor_alltoall", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 8, 8});
  r.call("MPI_Neighbor_alltoall", MORA_SHAPE_VECTOR, 0, {pair_of(2, 2), 1, 8});
  r.call("MPI_Neighbor_alltoall", MORA_SHAPE_VECTOR, 0, {pair_of(3, 2), 1, 8});
  r.data(0, -1, 0, -1);
  r.call("MPI_Alltoallw", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 9, 9}, MORA_FLAG_IN_PLACE);
  r.call("MPI_Alltoallw", MORA_SHAPE_VECTOR, 0, {pair_of(0, 2), 0, 9});
  r.finish();
  job.rank(1).finish();
  const auto trace = read(job);
  const auto& rank = trace.ranks[0];
  const auto list = calls(rank);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].sent, (Payload{3, 0}));
  EXPECT_EQ(list[0].received, (Payload{5, 0}));
  EXPECT_EQ(rank.vectors[list[0].sent_vector], (std::vector<std::uint64_t>{4, 8}));
  EXPECT_EQ(rank.vectors[list[0].received_vector], (std::vector<std::uint64_t>{8, 12}));
  EXPECT_EQ(list[1].sent, (Payload{2, 0}));
  EXPECT_EQ(rank.vectors[list[1].sent_vector], (std::vector<std::uint64_t>{1, 8}));
  EXPECT_EQ(list[2].sent, (Payload{-1, no_id}));
  EXPECT_TRUE(list[2].in_place);
  EXPECT_EQ(rank.vectors[list[2].sent_vector], (std::vector<std::uint64_t>{0, 9}));
}

TEST(FromJournal, BothVectorsOfACallAreKeptWhereTheFirstFillsAChunk) {
  ScriptedJob job(1);
  auto& r = job.rank(0);
  constexpr std::uint64_t times = 3000;
  for (std::uint64_t i = 0; i < times; ++i) {
    r.data(1, -1, 1, -1);
    r.call("MPI_Alltoallv", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), i, 8});
    r.call("MPI_Alltoallv", MORA_SHAPE_VECTOR, 0, {pair_of(0, 1), i});
    r.call("MPI_Alltoallv", MORA_SHAPE_VECTOR, 0, {pair_of(1, 1), i + 1});
  }
  r.finish();
  const auto trace = read(job);
  std::uint64_t at = 0;
  for (const Call& call : calls(trace.ranks[0])) {
    ASSERT_LT(call.received_vector, trace.ranks[0].vectors.size()) << at;
    EXPECT_EQ(trace.ranks[0].vectors[call.sent_vector], (std::vector<std::uint64_t>{at}));
    EXPECT_EQ(trace.ranks[0].vectors[call.received_vector], (std::vector<std::uint64_t>{++at}));
  }
  EXPECT_EQ(at, times);
}

TEST(FromJournal, EqualTypesOfOtherNumbersAreOne) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  for (std::uint32_t id = 5; id < 8; ++id) {  // made and freed in every turn
    r.type(id, "vector", 8, 16, 101, 0);
    r.isend(1, 1, id, 0, static_cast<std::int32_t>(id));
  }
  r.finish();
  job.rank(1).type(9, "vector", 8, 16, 101, 0);
  job.rank(1).isend(0, 1, 1, 0, 9);
  job.rank(1).finish();
  const auto trace = read(job);
  EXPECT_EQ(trace.definitions.datatypes.size(), 2u);
  EXPECT_EQ(trace.ranks[0].calls.size(), 3u);
  EXPECT_EQ(calls(trace.ranks[1])[0].sent.type, 1u);
  EXPECT_FALSE(trace.definitions.datatypes[1].contiguous);
}

TEST(FromJournal, WhatIsMissingOrDamagedIsSaid) {
  ScriptedJob job(3);
  auto& r = job.rank(0);
  r.call("MPI_Test", MORA_SHAPE_COMPLETE, 0, {}, MORA_FLAG_UNSUCCESSFUL);
  r.call("MPI_Iprobe", MORA_SHAPE_CALL, 0, {}, MORA_FLAG_UNSUCCESSFUL);
  r.data(1, 1, 0, -1);
  r.call("MPI_Send", MORA_SHAPE_SEND, 0, {pair_of(-1, 0), 0}, MORA_FLAG_FAILED | MORA_FLAG_NO_PEER);
  r.call("MPI_Send", MORA_SHAPE_SEND, 0, {pair_of(1, 0), 40});  // no DATA
  r.data(77, 1, 0, -1);                                         // a type that nobody defined
  r.call("MPI_Send", MORA_SHAPE_SEND, 0, {pair_of(1, 0), 40});
  r.data(1, 1, 0, -1);
  r.call("MPI_Send", MORA_SHAPE_SEND, 42, {pair_of(1, 0), 4});  // an unknown communicator
  r.record(0, MORA_SHAPE_RECORDING, 0, 0, {pair_of(0, 0)});
  r.vanish();
  job.rank(2).finish();
  job.rank(0, 0xdef).finish();  // another job
  const auto trace = read(job);
  ASSERT_EQ(trace.ranks.size(), 2u);
  EXPECT_EQ(trace.ranks[0].dropped_tests, 2u);
  EXPECT_FALSE(trace.ranks[0].complete);
  const auto list = calls(trace.ranks[0]);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].sent.count, 40);
  EXPECT_EQ(trace.definitions.datatypes[list[0].sent.type].name, "MPI_BYTE");
  for (const char* kind : {"failed-call", "call-without-data", "unknown-datatype", "unknown-communicator",
                           "recording-off", "process-killed", "rank-missing", "other-job"})
    EXPECT_EQ(quality(trace, kind), 1u) << kind;
  EXPECT_EQ(quality(read(job, Origin::dryrun), "rank-missing"), 0u);  // a dry run has chosen ranks
  ScriptedJob none(1);
  EXPECT_FALSE(read_pattern_journals(none.directory(), Origin::record));
}

/// Whatever bytes are damaged, reading ends, and what is left can be written as text.
TEST(FromJournal, DamagedJournalsAreReadAsFarAsTheyGo) {
  ScriptedJob job(2);
  auto& r = job.rank(0);
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    r.irecv(MORA_PEER_ANY, 3, 2 * turn + 1);
    r.isend(1, 3, 2 * turn + 2);
    r.call("MPI_Waitall", MORA_SHAPE_COMPLETE, 0,
           r.all({r.received(2 * turn + 1, 1, 12), r.sent(2 * turn + 2, 1, 12)}));
    r.communicator(2, 0, static_cast<int>(turn), MORA_COMM_COLLECTIVE, 2, {pair_of(0, 1)});
    r.data(0, -1, 0, -1, pair_of(1, 2));
    r.call("MPI_Comm_split", MORA_SHAPE_COLLECTIVE, 0, {pair_of(-1, 0), 0, 0});
    r.data(1, -1, 1, -1);
    r.call("MPI_Alltoallv", MORA_SHAPE_COLLECTIVE, 2, {pair_of(-1, 0), 12, 20});
    r.call("MPI_Alltoallv", MORA_SHAPE_VECTOR, 2, {pair_of(0, 2), 4, 8});
  }
  r.finish();
  job.rank(1).finish();
  const auto path = job.directory() + "/journal/abc.0.journal";
  std::string whole;
  {
    std::ifstream in(path, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937_64 random(1);
  std::uint64_t readable = 0;
  for (int round = 0; round < 300; ++round) {
    auto damaged = whole;
    for (int i = 0; i < 1 + round % 30; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 7 == 0) damaged.resize(random() % damaged.size());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const auto trace = read_pattern_journals(job.directory(), Origin::record);
    if (!trace) continue;
    ++readable;
    ASSERT_EQ(trace->ranks.back().rank, 1u);
    DataQuality ignored;
    std::string line;
    for (const auto& rank : trace->ranks)
      to_text_records(
          *trace, rank, [&](const TextRecord& record) { line.clear(), append_text_record(record, line); }, ignored);
  }
  EXPECT_EQ(readable, 300u);  // the other rank's journal is whole
}

}  // namespace
}  // namespace mora::predict
