// Point-to-point calls, requests and communicators: the exact records, in order, of both MPI libraries.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mpi/function.h"
#include "recorded_run.h"

namespace mora::recording {
namespace {

using Lines = std::vector<std::string>;

Lines without(Lines lines, const std::string& part) {
  std::erase_if(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  return lines;
}

TEST(Recording, PointToPoint) {
  RecordedRun run("p2p", 2);
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.lines(0), text(R"(
    CALL Init object=0
    CALL Type_vector object=0
    CALL Type_commit object=0
    SEND Send comm=0 peer=1 tag=7 bytes=96
    SEND Ssend comm=0 peer=1 tag=8 bytes=0
    SEND Send comm=0 peer=-1 tag=1 bytes=0 flags=no_peer
    RECV Recv comm=0 peer=-1 tag=-1 bytes=0 flags=no_peer
    ISEND Isend comm=0 peer=-1 tag=1 bytes=0 request=1 flags=no_peer
    COMPLETE Wait n=1 [request=1 peer=-1 tag=1 bytes=0 comm=0 kind=0]
    IRECV Irecv comm=0 peer=-1 tag=1 bytes=0 request=2 flags=no_peer
    COMPLETE Wait n=1 [request=2 peer=-1 tag=-1 bytes=0 comm=0 kind=1]
    SENDRECV Sendrecv comm=0 dest=1 sendtag=20 sent=12 source=1 recvtag=21 received=12
    SENDRECV Sendrecv_replace comm=0 dest=1 sendtag=30 sent=4 source=-1 recvtag=-1 received=0
    IRECV Irecv comm=1 peer=0 tag=3 bytes=32 request=3
    SEND Send comm=1 peer=0 tag=3 bytes=32
    COMPLETE Wait n=1 [request=3 peer=0 tag=3 bytes=32 comm=1 kind=1]
    SEND Send comm=0 peer=1 tag=40 bytes=24
    SEND Send comm=0 peer=1 tag=41 bytes=28
    CALL Type_free object=0
    CALL Finalize object=0 flags=open
    CALL Finalize object=0)"));
  // Unsuccessful probes may be any number.
  EXPECT_EQ(without(run.lines(1), "flags=unsuccessful"), text(R"(
    CALL Init object=0
    CALL Type_vector object=0
    CALL Type_commit object=0
    RECV Recv comm=0 peer=0 tag=7 bytes=96
    RECV Recv comm=0 peer=0 tag=8 bytes=0
    SEND Send comm=0 peer=-1 tag=1 bytes=0 flags=no_peer
    RECV Recv comm=0 peer=-1 tag=-1 bytes=0 flags=no_peer
    ISEND Isend comm=0 peer=-1 tag=1 bytes=0 request=1 flags=no_peer
    COMPLETE Wait n=1 [request=1 peer=-1 tag=1 bytes=0 comm=0 kind=0]
    IRECV Irecv comm=0 peer=-1 tag=1 bytes=0 request=2 flags=no_peer
    COMPLETE Wait n=1 [request=2 peer=-1 tag=-1 bytes=0 comm=0 kind=1]
    SENDRECV Sendrecv comm=0 dest=0 sendtag=21 sent=12 source=0 recvtag=20 received=12
    SENDRECV Sendrecv_replace comm=0 dest=-1 sendtag=30 sent=0 source=0 recvtag=30 received=4
    IRECV Irecv comm=1 peer=0 tag=3 bytes=32 request=3
    SEND Send comm=1 peer=0 tag=3 bytes=32
    COMPLETE Wait n=1 [request=3 peer=0 tag=3 bytes=32 comm=1 kind=1]
    IRECV Mprobe comm=0 peer=0 tag=40 bytes=24 request=4
    RECV Mrecv comm=0 peer=0 tag=40 bytes=24 request=4
    IRECV Improbe comm=0 peer=0 tag=41 bytes=28 request=5
    CALL Imrecv object=0
    COMPLETE Wait n=1 [request=5 peer=0 tag=41 bytes=28 comm=0 kind=1]
    IRECV Mprobe comm=0 peer=-1 tag=-1 bytes=0 request=6 flags=no_peer
    RECV Mrecv comm=4294967295 peer=-1 tag=-1 bytes=0 request=0 flags=no_peer
    CALL Type_free object=0
    CALL Finalize object=0 flags=open
    CALL Finalize object=0)"));
}

TEST(Recording, TimesAreOrderedAndSitesDiffer) {
  RecordedRun run("p2p", 2);
  DataQuality quality;
  const auto journal = run.journal(0, quality);
  EXPECT_TRUE(quality.empty());
  EXPECT_TRUE(journal.finalized());
  auto cursor = journal.records();
  journal::Record record;
  std::uint64_t last_end = journal.header().start.ticks, sends = 0, last_site = 0;
  while (cursor.next(record)) {
    if (record.function == 0 || (record.flags & MORA_FLAG_OPEN)) continue;
    EXPECT_GE(record.begin + 1000, last_end);  // processors' counters differ by less
    last_end = record.end();
    if (record.shape != MORA_SHAPE_SEND) continue;
    EXPECT_NE(record.site, last_site);
    last_site = record.site;
    sends++;
  }
  EXPECT_EQ(sends, 6u);
  EXPECT_LE(last_end, journal.clock().back().ticks);
}

struct Polls {
  std::uint64_t calls = 0, records = 0;
};

// Tests and probes in a row are few records that tell how many they were; a computing program has one for each, and so
// have calls from two places that alternate.
TEST(Recording, PollsInARowAreOneRecord) {
  RecordedRun run("polls", 2);
  ASSERT_EQ(run.exit_code(), 0);
  if (in_pattern_mode()) return;  // keeps no polls that found nothing
  DataQuality quality;
  const auto journal = run.journal(0, quality);
  EXPECT_TRUE(quality.empty());
  auto cursor = journal.records();
  std::map<std::pair<unsigned, std::uint64_t>, Polls> of;  // by function and site
  for (journal::Record record; cursor.next(record);) {
    if (record.function == 0 || !(record.flags & MORA_FLAG_UNSUCCESSFUL)) continue;
    Polls& polls = of[{record.function, record.site}];
    const bool in_a_row = record.shape == MORA_SHAPE_POLLS;
    polls.calls += in_a_row ? record.payload[0] : 1;
    ++polls.records;
    if (!in_a_row) continue;
    EXPECT_GE(record.payload[0], 2U);
    EXPECT_LE(record.payload[1], record.duration - record.payload[1]) << "more between the polls than in them";
  }
  std::map<std::string, std::vector<Polls>> found;
  for (const auto& [where, polls] : of) found[std::string(mpi::function(where.first).name)].push_back(polls);
  for (const char* name : {"MPI_Test", "MPI_Testsome"}) {
    ASSERT_EQ(found[name].size(), 1U) << name;
    EXPECT_EQ(found[name][0].calls, 20000U) << name;
    EXPECT_LT(found[name][0].records, 2000U) << name;  // one, but for interruptions by the operating system
  }
  ASSERT_EQ(found["MPI_Iprobe"].size(), 2U);
  const bool first_is_loop = found["MPI_Iprobe"][0].calls > 5;
  EXPECT_EQ(found["MPI_Iprobe"][first_is_loop ? 0 : 1].calls, 20000U);
  EXPECT_LT(found["MPI_Iprobe"][first_is_loop ? 0 : 1].records, 2000U);
  EXPECT_EQ(found["MPI_Iprobe"][first_is_loop ? 1 : 0].calls, 5U);
  EXPECT_EQ(found["MPI_Iprobe"][first_is_loop ? 1 : 0].records, 5U);
  for (const char* name : {"MPI_Testall", "MPI_Testany"}) {
    ASSERT_EQ(found[name].size(), 1U) << name;
    EXPECT_EQ(found[name][0].calls, 20000U) << name;
    EXPECT_EQ(found[name][0].records, 20000U) << name;
  }
}

TEST(Recording, Requests) {
  RecordedRun run("requests", 2);
  ASSERT_EQ(run.exit_code(), 0);
  for (int rank = 0; rank < 2; rank++) {
    const int peer = 1 - rank;
    auto lines = run.lines(rank);
    // 10000 receives, 10000 sends, one Waitall that completes each with its own number
    Lines expected = {"CALL Init object=0"};
    for (int i = 0; i < 10000; i++)
      expected.push_back(fmt::format("IRECV Irecv comm=0 peer={} tag={} bytes=4 request={}", peer, i, i + 1));
    for (int i = 0; i < 10000; i++)
      expected.push_back(fmt::format("ISEND Isend comm=0 peer={} tag={} bytes=4 request={}", peer, i, 10001 + i));
    std::string all = "COMPLETE Waitall n=20000";
    for (int i = 0; i < 20000; i++)
      all +=
          fmt::format(" [request={} peer={} tag={} bytes=4 comm=0 kind={}]", i + 1, peer, i % 10000, i < 10000 ? 1 : 0);
    expected.push_back(all);
    ASSERT_GT(lines.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); i++) ASSERT_EQ(lines[i], expected[i]);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(expected.size()));
    auto rest = text(R"(
      COLLECTIVE Barrier comm=0 root=-1 sent=0 received=0
      COMPLETE Wait n=0
      COMPLETE Waitall n=0
      COMPLETE Waitany n=0
      COMPLETE Testany n=0
      COMPLETE Waitsome n=0
      COMPLETE Testsome n=0 flags=unsuccessful
      COMPLETE Testall n=0
      COMPLETE Test n=0
      IRECV Irecv comm=0 peer=@ tag=20001 bytes=16 request=20001
      COMPLETE Test n=0 flags=unsuccessful
      COLLECTIVE Barrier comm=0 root=-1 sent=0 received=0
      SEND Send comm=0 peer=@ tag=20001 bytes=12
      COMPLETE Waitany n=1 [request=20001 peer=@ tag=20001 bytes=12 comm=0 kind=1]
      IRECV Irecv comm=0 peer=@ tag=20002 bytes=16 request=20002
      SEND Send comm=0 peer=@ tag=20002 bytes=8
      COMPLETE Waitsome n=1 [request=20002 peer=@ tag=20002 bytes=8 comm=0 kind=1]
      CALL Recv_init object=0
      CALL Send_init object=0
      COMPLETE Wait n=0
      START Startall n=2 [request=20003 peer=-2 tag=20003 bytes=16 comm=0 kind=1] [request=20004 peer=@ tag=20003 bytes=16 comm=0 kind=0]
      COMPLETE Waitall n=2 [request=20003 peer=@ tag=20003 bytes=16 comm=0 kind=1] [request=20004 peer=@ tag=20003 bytes=16 comm=0 kind=0]
      START Startall n=2 [request=20005 peer=-2 tag=20003 bytes=16 comm=0 kind=1] [request=20006 peer=@ tag=20003 bytes=16 comm=0 kind=0]
      COMPLETE Waitall n=2 [request=20005 peer=@ tag=20003 bytes=16 comm=0 kind=1] [request=20006 peer=@ tag=20003 bytes=16 comm=0 kind=0]
      START Start n=1 [request=20007 peer=-2 tag=20003 bytes=16 comm=0 kind=1]
      SEND Send comm=0 peer=@ tag=20003 bytes=4
      COMPLETE Wait n=1 [request=20007 peer=@ tag=20003 bytes=4 comm=0 kind=1]
      CALL Request_free object=0
      CALL Request_free object=0
      ISEND Isend comm=0 peer=@ tag=20004 bytes=4 request=20008
      COMPLETE Request_free n=1 [request=20008 peer=@ tag=20004 bytes=4 comm=0 kind=4]
      RECV Recv comm=0 peer=@ tag=20004 bytes=4
      IRECV Irecv comm=0 peer=@ tag=20005 bytes=4 request=20009
      CALL Cancel object=0
      COMPLETE Wait n=1 [request=20009 peer=@ tag=20005 bytes=0 comm=0 kind=2]
      CALL Finalize object=0 flags=open
      CALL Finalize object=0)");
    for (auto& line : rest)
      for (std::size_t at; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, std::to_string(peer));
    EXPECT_EQ(lines, rest);
  }
}

TEST(Recording, Communicators) {
  RecordedRun run("communicators", 4);
  ASSERT_EQ(run.exit_code(), 0);
  const auto definitions = run.lines_with(1, "DEFINE_COMM");
  for (int i = 0; i < 300; i++)
    ASSERT_EQ(definitions[static_cast<std::size_t>(i)],
              fmt::format("DEFINE_COMM id={} parent=0 ordinal={} kind=2 key=0 members=0,1,2,3 remote=", i + 2, i));
  EXPECT_EQ(run.lines_with(1, "comm=301"), text(R"(
    COLLECTIVE Allreduce comm=301 root=-1 sent=16 received=16
    COLLECTIVE Comm_free comm=301 root=-1 sent=0 received=0)"));
  EXPECT_EQ(run.lines_with(1, "FREE_COMM").size(), 300u);
  // Rank 1 is in neither MPI_Comm_create nor MPI_Comm_create_group, yet its ordinals agree with the others'.
  EXPECT_EQ(Lines(definitions.begin() + 300, definitions.end()), text(R"(
    DEFINE_COMM id=302 parent=0 ordinal=300 kind=2 key=0 members=2,1,0 remote=
    DEFINE_COMM id=303 parent=0 ordinal=302 kind=2 key=0 members=0,1,2,3 remote=
    DEFINE_COMM id=304 parent=303 ordinal=0 kind=2 key=0 members=1,3 remote=
    DEFINE_COMM id=305 parent=0 ordinal=303 kind=2 key=0 members=0,1,2,3 remote=
    DEFINE_COMM id=306 parent=0 ordinal=304 kind=2 key=0 members=1,3 remote=
    DEFINE_COMM id=307 parent=4294967295 ordinal=0 kind=4 key=5 members=1,3 remote=0,2
    DEFINE_COMM id=308 parent=307 ordinal=0 kind=2 key=0 members=0,2,1,3 remote=)"));
  EXPECT_EQ(run.lines_with(1, "DEFINE_GRID"), text(R"(
    DEFINE_GRID comm=303 extents=2x2 periodic=1,0 at=0,1
    DEFINE_GRID comm=304 extents=2 periodic=1 at=0)"));
  const auto of_two = run.lines(2);
  const auto from = std::find(of_two.begin(), of_two.end(),
                              "DEFINE_COMM id=303 parent=0 ordinal=301 kind=2 key=0 members=2,0,3 remote=");
  ASSERT_NE(from, of_two.end());
  EXPECT_EQ(Lines(from, from + 8), text(R"(
    DEFINE_COMM id=303 parent=0 ordinal=301 kind=2 key=0 members=2,0,3 remote=
    COLLECTIVE Comm_create comm=0 root=-1 sent=0 received=0
    NAME id=303 what=0 name=three of four
    CALL Comm_set_name object=303
    COLLECTIVE Barrier comm=303 root=-1 sent=0 received=0
    DEFINE_COMM id=304 parent=303 ordinal=0 kind=3 key=17 members=2,0,3 remote=
    COLLECTIVE Comm_create_group comm=304 root=-1 sent=0 received=0
    COLLECTIVE Barrier comm=304 root=-1 sent=0 received=0)"));
  EXPECT_EQ(run.lines_with(2, "Comm_idup"), text("COLLECTIVE Comm_idup comm=0 root=-1 sent=0 received=0 request=1"));
  // Rank 3 was left out of the first split.
  const auto of_three = run.lines_with(3, "DEFINE_COMM");
  EXPECT_EQ(of_three[300], "DEFINE_COMM id=302 parent=0 ordinal=301 kind=2 key=0 members=2,0,3 remote=");
}

}  // namespace
}  // namespace mora::recording
