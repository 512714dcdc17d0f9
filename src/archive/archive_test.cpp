// Writes small archives and lets otf2-print, an independent reader, say what is in them.
#include "archive/archive_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>

#include "archive/global_definitions.h"
#include "archive/mpi_meaning.h"
#include "support/scratch_directory.h"

namespace mora::archive {
namespace {

class ArchiveTest : public testing::Test {
 protected:
  /// Output of otf2-print with the options; fails the test unless it exits with 0.
  std::string print(const std::string& options) const {
    FILE* pipe = popen(("otf2-print " + options + " " + directory_ + "/traces.otf2 2>&1").c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer;
    while (const auto n = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
    const int status = pclose(pipe);
    EXPECT_EQ(WEXITSTATUS(status), 0) << out;
    return out;
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  }

  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
};

Definitions two_ranks() {
  Definitions d;
  d.first_stamp = 1000;
  d.last_stamp = 5000;
  d.realtime_ns = 1'700'000'000'000'000'000;
  d.nodes = {"alpha", "beta"};
  d.processes = {{0, {}}, {1, {}}};
  d.regions = {{"MPI_Send", "ping.c", 12, ""}, {"MPI_Recv", "", 0, "libx.so+0x10"}, {"MPI_Win_lock", "ping.c", 30, ""}};
  d.groups = {{0, 1}, {1, 0}, {0}, {1}};
  d.communicators = {{"MPI_COMM_WORLD", 0, no_id, no_id},
                     {"MPI_COMM_SELF", no_id, no_id, no_id},
                     {"swapped", 1, no_id, 0},
                     {"bridge", 2, 3, 0}};
  d.windows = {{"halo", 0}};
  return d;
}

TEST_F(ArchiveTest, EveryRecordKindIsReadByOtf2PrintAsWritten) {
  auto archive = ArchiveWriter::create(directory_, {"ping", "cluster", "mpirun ping"});
  ASSERT_TRUE(archive) << archive.error().text();
  auto write = [&](std::uint32_t rank) {
    auto w = (*archive)->open_location(rank);
    ASSERT_TRUE(w);
    w->program_begin(1000);
    w->enter(1000, 0);
    w->send(1000, 1 - rank, 0, 7, 100);
    w->leave(1100, 0);
    w->enter(1200, 1);
    w->receive(1300, 1 - rank, 0, 7, 100);
    w->leave(1300, 1);
    w->enter(1300, 2);
    w->collective_begin(1300);
    w->collective_end(1400, OTF2_COLLECTIVE_OP_ALLTOALLV, 2, OTF2_UNDEFINED_UINT32, 10, 20, {.vector_plus_1 = 4});
    w->rma_collective_begin(1400);
    w->window_create(1500, 0);
    w->rma_collective_end(1500, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, 0,
                          {.assertion = 8});
    w->group_sync(1500, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1, {});
    w->lock_request(1500, 0, 1 - rank, true, {});
    w->put(1600, 0, 1 - rank, 64, 1, {.has_received = true, .received = 32});
    w->get(1600, 0, 1 - rank, 16, 2, {});
    w->rma_complete(1700, 0, 1, true);
    w->lock_release(1700, 0, 1 - rank);
    w->send_request(1700, 1 - rank, 3, 9, 1, 11);
    w->receive_request(1700, 12);
    w->send_complete(1800, 11);
    w->receive_complete(1800, 1 - rank, 3, 9, 1, 12);
    w->cancelled(1800, 13);
    w->window_free(1800, 0);
    w->buffer_flush(1900, 1950);
    w->measurement(1950, false);
    w->leave(5000, 2);
    w->program_end(5000, 0);
    const auto closed = (*archive)->close_location(*w, {{1000, 0, 0}, {5000, -250, 1.5}});
    EXPECT_TRUE(closed) << closed.error().text();
  };
  std::thread other(write, 1);
  write(0);
  other.join();
  EXPECT_EQ((*archive)->event_counts(), (std::map<std::uint64_t, std::uint64_t>{{0, 29}, {1, 29}}));
  EXPECT_EQ((*archive)->events(1), 30U) << "begin and end of the flush";
  EXPECT_EQ((*archive)->events(2), 0U);
  const auto closed = (*archive)->close(two_ranks());
  ASSERT_TRUE(closed) << closed.error().text();

  const auto events = print("");
  EXPECT_EQ(count(events, "ENTER "), 6u);
  EXPECT_EQ(count(events, "MPI_SEND "), 2u);
  EXPECT_EQ(count(events, "MPI_IRECV "), 2u);
  EXPECT_EQ(count(events, "RMA_PUT "), 2u);
  EXPECT_EQ(count(events, "\"mora:recvd\" <2>; UINT64; 32"), 2u) << events;
  EXPECT_EQ(count(events, "\"mora:vector\" <3>; UINT32; 3"), 2u) << events;
  EXPECT_EQ(count(events, "\"mora:assert\" <1>; UINT32; 8"), 2u) << events;
  const auto definitions = print("-G");
  EXPECT_NE(definitions.find("Ticks per Seconds: 1000000000, Global Offset: 1000, Length: 4001"), std::string::npos)
      << definitions;
  EXPECT_NE(definitions.find("INTER_COMM"), std::string::npos) << definitions;
  EXPECT_EQ(count(definitions, "File: \"MPI\" <"), 3u) << definitions;
}

TEST_F(ArchiveTest, MarksAreUserRegionsWithTheirNumbers) {
  auto archive = ArchiveWriter::create(directory_, {"ping", "", ""});
  ASSERT_TRUE(archive);
  auto w = (*archive)->open_location(0);
  ASSERT_TRUE(w);
  w->enter(1000, 3, -5);
  w->enter(1100, 4);
  w->leave(1200, 4);
  w->leave(1300, 3);
  ASSERT_TRUE((*archive)->close_location(*w, {}));
  auto empty = (*archive)->open_location(1);
  ASSERT_TRUE(empty);
  ASSERT_TRUE((*archive)->close_location(*empty, {}));
  auto d = two_ranks();
  Region mark{"interval", "ping.c", 7, ""};
  mark.kind = RegionKind::mark;
  d.regions.push_back(mark);
  mark.function = "replicated";
  mark.replication = 3;
  d.regions.push_back(mark);
  ASSERT_TRUE((*archive)->close(d));
  const auto events = print("");
  EXPECT_EQ(count(events, "(\"mora:argument\" <7>; INT32; -5)"), 1u) << events;
  EXPECT_EQ(count(events, "mora:argument"), 1u) << events;
  const auto definitions = print("-G");
  EXPECT_EQ(count(definitions, "Descr.: \"mora:interval\" "), 1u) << definitions;
  EXPECT_EQ(count(definitions, "Descr.: \"mora:interval replication=3\" "), 1u) << definitions;
  EXPECT_EQ(count(definitions, "Role: CODE, Paradigm: USER, Flags: NONE, File: \"ping.c\" "), 2u) << definitions;
}

TEST_F(ArchiveTest, TheProgramIsARegionOfItsOwn) {
  auto archive = ArchiveWriter::create(directory_, {"runs/ping", "", ""});
  ASSERT_TRUE(archive);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    auto w = (*archive)->open_location(rank);
    ASSERT_TRUE(w);
    w->program_begin(1000);
    w->program_end(5000, 0);
    ASSERT_TRUE((*archive)->close_location(*w, {}));
  }
  ASSERT_TRUE((*archive)->close(two_ranks()));
  const auto definitions = print("-G");
  EXPECT_NE(definitions.find("Name: \"ping\" <"), std::string::npos) << definitions;
  const auto at = definitions.find("Role: ARTIFICIAL, Paradigm: MEASUREMENT_SYSTEM");
  ASSERT_NE(at, std::string::npos) << definitions;
  const auto line = definitions.substr(definitions.rfind('\n', at), at - definitions.rfind('\n', at));
  EXPECT_NE(line.find("\"ping\" <"), std::string::npos) << line;
  EXPECT_NE(line.find("(Aka. \"runs/ping\" <1>)"), std::string::npos) << line;
}

TEST(MarkDescription, NamesAllProcesses) { EXPECT_EQ(mark_description(no_id), "mora:interval replication=all"); }

TEST_F(ArchiveTest, RanksWithoutEventsStayReadable) {
  auto archive = ArchiveWriter::create(directory_, {"ping", "", ""});
  ASSERT_TRUE(archive);
  auto w = (*archive)->open_location(0);
  ASSERT_TRUE(w);
  w->enter(1000, 0);
  w->leave(5000, 0);
  ASSERT_TRUE((*archive)->close_location(*w, {}));
  auto empty = (*archive)->open_location(1);
  ASSERT_TRUE(empty);
  ASSERT_TRUE((*archive)->close_location(*empty, {}));
  ASSERT_TRUE((*archive)->close(two_ranks()));
  EXPECT_EQ(count(print(""), "ENTER "), 1u);
}

TEST_F(ArchiveTest, DecreasingStampsAreReported) {
  auto archive = ArchiveWriter::create(directory_, {"ping", "", ""});
  ASSERT_TRUE(archive);
  auto w = (*archive)->open_location(0);
  ASSERT_TRUE(w);
  w->enter(1000, 0);
  w->leave(999, 0);
  const auto closed = (*archive)->close_location(*w, {});
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().where.find("0.evt"), std::string::npos);
}

TEST_F(ArchiveTest, AnUnwritableDirectoryIsAnError) {
  const auto archive = ArchiveWriter::create("/proc/mora-cannot-be-here", {"ping", "", ""});
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().kind, ErrorKind::system);
}

TEST(MpiMeaning, RolesFollowTheFunction) {
  const auto role = [](const char* name) { return region_role(mpi::function(mpi::find_exactly(name))); };
  EXPECT_EQ(role("MPI_Send"), OTF2_REGION_ROLE_POINT2POINT);
  EXPECT_EQ(role("MPI_Isend_c"), OTF2_REGION_ROLE_POINT2POINT);
  EXPECT_EQ(role("MPI_Get_count"), OTF2_REGION_ROLE_POINT2POINT);
  EXPECT_EQ(role("MPI_Barrier"), OTF2_REGION_ROLE_BARRIER);
  EXPECT_EQ(role("MPI_Scatterv"), OTF2_REGION_ROLE_COLL_ONE2ALL);
  EXPECT_EQ(role("MPI_Reduce"), OTF2_REGION_ROLE_COLL_ALL2ONE);
  EXPECT_EQ(role("MPI_Alltoallw_c"), OTF2_REGION_ROLE_COLL_ALL2ALL);
  EXPECT_EQ(role("MPI_Exscan"), OTF2_REGION_ROLE_COLL_OTHER);
  EXPECT_EQ(role("MPI_Ibarrier"), OTF2_REGION_ROLE_FUNCTION);
  EXPECT_EQ(role("MPI_Neighbor_alltoall"), OTF2_REGION_ROLE_FUNCTION);
  EXPECT_EQ(role("MPI_Win_fence"), OTF2_REGION_ROLE_RMA);
  EXPECT_EQ(role("MPI_Win_get_attr"), OTF2_REGION_ROLE_RMA);
  EXPECT_EQ(role("MPI_Rget"), OTF2_REGION_ROLE_RMA);
  EXPECT_EQ(role("MPI_File_set_view"), OTF2_REGION_ROLE_FILE_IO);
  EXPECT_EQ(role("MPI_Init"), OTF2_REGION_ROLE_FUNCTION);
  EXPECT_EQ(role("MPI_Comm_dup"), OTF2_REGION_ROLE_FUNCTION);
}

TEST(MpiMeaning, OperationsHaveOneNameInEachDirection) {
  using mpi::Collective;
  for (std::size_t i = 0; i < mpi::collective_count; ++i) {
    const auto c = static_cast<Collective>(i);
    const auto operation = collective_operation(c);
    const bool named = operation != 63;
    EXPECT_EQ(named,
              c != Collective::none && c != Collective::init && c != Collective::finalize && c != Collective::other);
    EXPECT_EQ(collective_of(operation, mpi::is_neighborhood(c)), named ? c : Collective::other) << mpi::to_string(c);
  }
  EXPECT_EQ(collective_operation(Collective::reduce_scatter_block), OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK);
  EXPECT_EQ(collective_operation(Collective::neighbor_alltoallv), OTF2_COLLECTIVE_OP_ALLTOALLV);
  EXPECT_EQ(collective_operation(Collective::allocate), OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE);
  EXPECT_EQ(collective_of(OTF2_COLLECTIVE_OP_ALLOCATE, false), Collective::allocate);
  EXPECT_EQ(collective_of(OTF2_COLLECTIVE_OP_DEALLOCATE, false), Collective::deallocate);
  EXPECT_EQ(collective_of(OTF2_COLLECTIVE_OP_BCAST, true), Collective::bcast) << "none among neighbours";
  EXPECT_EQ(collective_of(200, false), Collective::other);
}

}  // namespace
}  // namespace mora::archive
