#include "predict/pattern/archive/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "base/file.h"
#include "predict/pattern/archive/bytes.h"
#include "predict/pattern/archive/under_way.h"
#include "support/scratch_directory.h"

namespace mora::predict {
namespace {

std::string temporary(const std::string& name) {
  static const ScratchDirectory directory;
  return directory.path(name);
}

Definitions definitions(std::uint32_t world) {
  Definitions d;
  d.world_size = world;
  d.program = "ring";
  d.command = "mpirun -n 4 \"./ring\"";
  d.datatypes = {{"MPI_INT", 4, 4, true, true, 1}, {"vector", 16, 64, false, false, 101}};
  Communicator all{"MPI_COMM_WORLD", Operation::init, no_id, no_id, 0, 0, {}, {}};
  for (std::uint32_t r = 0; r < world; ++r) all.members.push_back(r);
  d.communicators = {all,
                     {"MPI_COMM_SELF", Operation::init, no_id, no_id, 0, 0, {}, {}},
                     {"mini_comm_0_1", Operation::comm_split, 0, 0, 1, -3, {3, 1}, {2}}};
  d.windows = {{2, "halo"}};
  d.phases = {"solve", "a b/ü"};
  return d;
}

/// A program in which every field of a call is used; ranks differ in their peers only.
RankTrace some_rank(std::uint32_t rank, std::uint32_t world, unsigned seed) {
  std::mt19937 random(seed);
  RankTraceBuilder builder(rank);
  Call begin;
  begin.operation = Operation::phase_begin;
  begin.argument = 1;
  builder.add(begin);
  for (int step = 0; step < 100; ++step) {
    Call send;
    send.operation = Operation::isend;
    send.communicator = 0;
    send.peer = static_cast<std::int32_t>((rank + 1) % world);
    send.tag = 7;
    send.sent = {10, 0};
    builder.add(send);
    Call receive;
    receive.operation = Operation::recv;
    receive.communicator = 0;
    receive.peer = static_cast<std::int32_t>((rank + world - 1) % world);
    receive.posted_any_source = true;
    receive.tag = -1 + static_cast<int>(random() % 2);
    receive.received = {100, 1};
    receive.bytes_received = 40;
    builder.add(receive);
    Call wait;
    wait.operation = Operation::wait;
    wait.completions = builder.completions({{0, peer_none, tag_any, 0, false}, {no_id, 3, -5, 1ull << 40, true}});
    builder.add(wait);
    Call vector;
    vector.operation = Operation::alltoallv;
    vector.communicator = 2;
    vector.in_place = true;
    vector.thread = 9;
    vector.sent_vector = builder.vector({1, 0, 1ull << 50});
    vector.received_vector = builder.vector({});
    builder.add(vector);
    Call put;
    put.operation = Operation::put;
    put.communicator = 2;
    put.peer = 0;
    put.argument = 0;
    put.sent = {-1, 1};
    put.peer2 = peer_any;
    put.tag2 = -2147483647 - 1;
    builder.add(put);
    Call root;
    root.operation = Operation::bcast;
    root.communicator = 2;
    root.peer = root_here;
    builder.add(root);
  }
  auto trace = builder.finish();
  trace.dropped_tests = 12345;
  trace.complete = rank % 2 == 0;
  return trace;
}

PatternTrace some_trace(std::uint32_t world) {
  PatternTrace trace;
  trace.definitions = definitions(world);
  for (std::uint32_t r = 0; r < world; ++r) trace.ranks.push_back(some_rank(r, world, r));
  trace.quality.add("pattern-x", Severity::loss, "rank 1", 3, "something", "do something");
  return trace;
}

void expect_equal(const RankTrace& a, const RankTrace& b) {
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.calls, b.calls);
  EXPECT_EQ(a.vectors, b.vectors);
  EXPECT_EQ(a.completions, b.completions);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.dropped_tests, b.dropped_tests);
  EXPECT_EQ(a.complete, b.complete);
}

TEST(Archive, ComesBackExactly) {
  const auto path = temporary("exact.mpt");
  const auto trace = some_trace(150);
  const auto bytes = write_archive(trace, path);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, std::filesystem::file_size(path));
  const auto back = read_archive(path);
  ASSERT_TRUE(back) << back.error().text();
  const auto &a = trace.definitions, &b = back->definitions;
  EXPECT_EQ(a.world_size, b.world_size);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.command, b.command);
  EXPECT_EQ(a.datatypes, b.datatypes);
  EXPECT_EQ(a.communicators, b.communicators);
  EXPECT_EQ(a.windows, b.windows);
  EXPECT_EQ(a.phases, b.phases);
  ASSERT_EQ(back->ranks.size(), 150u);
  for (std::size_t r = 0; r < 150; ++r) expect_equal(trace.ranks[r], back->ranks[r]);
  ASSERT_EQ(back->quality.rows().size(), 1u);
  EXPECT_EQ(back->quality.rows()[0].count, 3u);
}

TEST(Archive, RefusesWhatIsNone) {
  const auto path = temporary("none.mpt");
  ASSERT_TRUE(write_file_atomically(path, "0 init 1\n"));
  auto read = read_archive(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::unreadable);
  EXPECT_EQ(read.error().what, "not a pattern trace");
  ASSERT_TRUE(write_file_atomically(path, std::string("MORAPTN1\x09\0\0\0", 12)));
  read = read_archive(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().why, "it has version 9, this Mora reads versions 1 to 3");
}

TEST(Archive, DamageCostsItsBlockAndIsCounted) {
  const auto path = temporary("damage.mpt");
  const auto trace = some_trace(150);
  ASSERT_TRUE(write_archive(trace, path));
  auto content = *read_file(path);
  // The last byte before the end section belongs to the third block (ranks 128-149).
  content[content.size() - sizeof(archive::SectionHeader) - 15] ^= 1;
  ASSERT_TRUE(write_file_atomically(path, content));
  const auto back = read_archive(path);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->ranks.size(), 128u);
  bool found = false;
  for (const auto& row : back->quality.rows())
    if (row.kind == "pattern-damaged-block") {
      found = true;
      EXPECT_EQ(row.count, 22u);
      EXPECT_EQ(row.where, "ranks 128-149");
    }
  EXPECT_TRUE(found);
}

TEST(Archive, EveryByteFlippedOrCutIsNoticed) {
  const auto path = temporary("bytes.mpt");
  const auto trace = some_trace(3);
  ASSERT_TRUE(write_archive(trace, path));
  const auto content = *read_file(path);
  for (std::size_t i = 0; i < content.size(); ++i) {
    auto damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    ASSERT_TRUE(write_file_atomically(path, damaged));
    const auto back = read_archive(path);
    // Fields that only say where something stands (first rank of a section, reserved) may be wrong without loss.
    if (back && back->ranks.size() == 3 && back->quality.rows().size() == 1)
      for (std::size_t r = 0; r < 3; ++r) expect_equal(trace.ranks[r], back->ranks[r]);
  }
  for (std::size_t i = 0; i < content.size(); ++i) {
    ASSERT_TRUE(write_file_atomically(path, content.substr(0, i)));
    const auto back = read_archive(path);
    EXPECT_TRUE(!back || back->quality.rows().size() > 1) << "cut at " << i;
  }
}

/// A rank of a program without loops: random peers, tags and sizes, requests completed in any order.
RankTrace irregular_rank(std::uint32_t rank, std::uint32_t world, int steps) {
  std::mt19937 random(rank);
  RankTraceBuilder builder(rank);
  for (int step = 0; step < steps; ++step) {
    std::vector<Call> begun;
    for (unsigned n = 2 + random() % 6; n > 0; --n) {
      Call call;
      call.communicator = 0;
      call.operation = random() % 2 == 0 ? Operation::isend : Operation::irecv;
      call.peer = static_cast<std::int32_t>((rank + 1 + random() % (world - 1)) % world);
      call.tag = static_cast<std::int32_t>(random() % 4);
      (call.operation == Operation::isend ? call.sent : call.received) = {static_cast<std::int64_t>(random() % 500), 0};
      builder.add(call);
      begun.push_back(call);
    }
    std::vector<std::uint32_t> open(begun.size());
    std::iota(open.begin(), open.end(), 0u);
    while (!open.empty()) {
      const std::size_t which = random() % std::min<std::size_t>(open.size(), 2);
      const Call& done = begun[open[which]];
      Completion c;
      c.age = static_cast<std::uint32_t>(begun.size() - 1 - open[which]);
      if (done.operation == Operation::irecv) {
        c.source = done.peer;
        c.tag = done.tag;
        c.bytes = static_cast<std::uint64_t>(done.received.count) * (random() % 8 == 0 ? 2 : 4);
      }
      Call wait;
      wait.operation = Operation::waitany;
      wait.completions = builder.completions({c});
      builder.add(wait);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  return builder.finish();
}

TEST(Archive, IrregularRanksAreShorterByColumnsAndComeBackExactly) {
  PatternTrace trace;
  trace.definitions = definitions(4);
  std::uint64_t one_string = 0;
  for (std::uint32_t r = 0; r < 4; ++r) {
    trace.ranks.push_back(irregular_rank(r, 4, 300));
    archive::RankBytes<archive::ByteWriter> plain(false);
    archive::write_rank(trace.ranks.back(), trace.definitions, plain);
    one_string += plain.columns()[0].bytes().size();
    const auto placed = archive::by_place(trace.ranks.back(), trace.definitions);
    ASSERT_TRUE(placed);
    EXPECT_LT(placed->completions.size(), trace.ranks.back().completions.size() / 4);
    expect_equal(trace.ranks.back(), archive::by_age(*placed, trace.definitions));
  }
  const auto path = temporary("irregular");
  const auto bytes = write_archive(trace, path);
  ASSERT_TRUE(bytes);
  EXPECT_LT(*bytes, one_string / 4);
  EXPECT_EQ(read_file(path)->substr(8, 4), std::string("\3\0\0\0", 4));
  const auto back = read_archive(path);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->ranks.size(), 4u);
  for (std::size_t r = 0; r < 4; ++r) expect_equal(trace.ranks[r], back->ranks[r]);

  // A changed byte either changes nothing or is told.
  const std::string content = *read_file(path);
  for (std::size_t i = 12; i < content.size(); i += 37) {
    std::string bad = content;
    bad[i] = static_cast<char>(bad[i] ^ 0x41);
    ASSERT_TRUE(write_file_atomically(path, bad));
    const auto damaged = read_archive(path);
    if (!damaged || damaged->ranks.size() < 4 || !damaged->quality.empty()) continue;
    for (std::size_t r = 0; r < 4; ++r) expect_equal(trace.ranks[r], damaged->ranks[r]);
  }
}

TEST(Archive, BytesReceivedThatAreNoNumberOfTheTypeComeBack) {
  RankTraceBuilder builder(0);
  Call call;
  call.operation = Operation::recv;
  call.received = {3, 0};
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{12}, std::uint64_t{5}, UINT64_MAX}) {
    call.bytes_received = bytes;
    builder.add(call);
  }
  const RankTrace rank = builder.finish();
  archive::RankBytes<archive::ByteWriter> out(true);
  archive::write_rank(rank, definitions(1), out);
  archive::RankBytes<archive::ByteReader> in(true);
  for (std::size_t c = 0; c < in.columns().size(); ++c) in.columns()[c] = archive::ByteReader(out.columns()[c].bytes());
  RankTrace back;
  ASSERT_TRUE(archive::read_rank(in, definitions(1), back));
  expect_equal(rank, back);
}

TEST(Archive, RandomBytesInsideABlockNeverBreakTheReader) {
  const auto d = definitions(4);
  archive::RankBytes<archive::ByteWriter> out(false);
  archive::write_rank(some_rank(1, 4, 5), d, out);
  const auto good = out.columns()[0].take();
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (unsigned n = 1 + random() % 3; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    archive::RankBytes<archive::ByteReader> in(false);
    in.columns()[0] = archive::ByteReader(bytes);
    RankTrace rank;
    if (!archive::read_rank(in, d, rank)) continue;
    ++read;
    for (const auto& call : rank.calls) {
      ASSERT_TRUE(call.communicator == no_id || call.communicator < d.communicators.size());
      ASSERT_TRUE(call.sent_vector == no_id || call.sent_vector < rank.vectors.size());
      ASSERT_TRUE(call.completions == no_id || call.completions < rank.completions.size());
    }
    ASSERT_LE(rank.order.size(), std::uint64_t{1} << 62);
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace mora::predict
