// How processes end and recording is switched: nothing that was recorded is lost, nothing that was not is invented.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "recorded_run.h"

namespace mora::recording {
namespace {

std::size_t count(const RecordedRun& run, int rank, const std::string& part) {
  return run.lines_with(rank, part).size();
}

bool has(const DataQuality& quality, const std::string& kind) {
  const auto rows = quality.rows();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.kind == kind; });
}

/// Beside them stand readings of the kernel's counts.
std::uint64_t calls_in(const journal::Journal& journal) {
  std::uint64_t calls = 0;
  journal::Record record;
  for (auto cursor = journal.records(); cursor.next(record);) calls += record.function != 0 ? 1 : 0;
  return calls;
}

TEST(RecordingLife, InitThreadAndOtherThreads) {
  RecordedRun run("life", 2, {.arguments = {"threads"}});
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(count(run, 0, "CALL Init_thread"), 1u);
  EXPECT_EQ(count(run, 0, "SENDRECV"), 20u);  // those of the thread that initialised
  EXPECT_EQ(run.lines_with(0, "NOTE"), std::vector<std::string>{});
  for (int rank = 0; rank < 2; rank++) {
    const auto files = run.files(fmt::format(".{}.t1.journal", rank));
    ASSERT_EQ(files.size(), 1u);
    DataQuality quality;
    const auto journal = journal::Journal::open(files.front(), quality, 1);
    ASSERT_TRUE(journal) << journal.error().text();
    EXPECT_TRUE(quality.empty());
    EXPECT_EQ(calls_in(*journal), 50u);
    EXPECT_FALSE(journal->used_live_chunk());
  }
}

TEST(RecordingLife, ExitWithoutFinalizeOrDestructors) {
  RecordedRun run("life", 2, {.arguments = {"exit"}});
  for (int rank = 0; rank < 2; rank++) {
    DataQuality quality;
    const auto journal = run.journal(rank, quality);
    EXPECT_FALSE(journal.ended());
    EXPECT_TRUE(journal.used_live_chunk());
    EXPECT_TRUE(has(quality, "journal-no-end"));
    EXPECT_EQ(count(run, rank, "SENDRECV"), 10u);
  }
}

// One rank kills itself; mpirun then kills the other.
TEST(RecordingLife, KilledRanksLoseNothing) {
  RecordedRun run("life", 2, {.arguments = {"kill", "{dir}"}, .environment = {"MORA_CHUNK_BYTES=65536"}});
  EXPECT_NE(run.exit_code(), 0);
  for (int rank = 0; rank < 2; rank++) {
    std::uint64_t returned = 0;
    std::ifstream(fmt::format("{}/count.{}", run.directory(), rank)) >> returned;
    EXPECT_GT(returned, 100u);
    const std::size_t found = count(run, rank, "SENDRECV");
    EXPECT_GE(found, returned);
    EXPECT_TRUE(rank == 0 || found == 100000) << found;
    DataQuality quality;
    run.journal(rank, quality);
    EXPECT_FALSE(has(quality, "journal-damaged-chunk") || has(quality, "journal-gap"));
  }
}

TEST(RecordingLife, Abort) {
  RecordedRun run("life", 2, {.arguments = {"abort"}});
  EXPECT_EQ(run.exit_code(), 3);
  EXPECT_EQ(count(run, 0, "SENDRECV"), 3u);
  EXPECT_EQ(run.lines_with(1, "Abort"), text("CALL Abort object=0 flags=open"));
}

TEST(RecordingLife, ErrorCodesAreReturnedAndRecorded) {
  RecordedRun run("life", 2, {.arguments = {"errors"}});
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.lines_with(0, "SEND Send "), text("SEND Send comm=0 peer=-1 tag=1 bytes=0 flags=failed,no_peer"));
  EXPECT_EQ(run.lines_with(0, "RECV Recv "), text("RECV Recv comm=0 peer=-1 tag=-1 bytes=0 flags=failed,no_peer"));
  const auto bcast = run.lines_with(0, "Bcast");
  ASSERT_EQ(bcast.size(), 1u);
  EXPECT_NE(bcast[0].find("sent=0 received=0 flags=failed"), std::string::npos) << bcast[0];
  const auto waitall = run.lines_with(0, "Waitall");
  ASSERT_EQ(waitall.size(), 1u);
  EXPECT_NE(waitall[0].find("[request=1 peer=0 tag=6"), std::string::npos) << waitall[0];
  EXPECT_EQ(count(run, 0, "SENDRECV"), 1u);  // recording goes on
  EXPECT_EQ(count(run, 0, "CALL Finalize"), 2u);
}

TEST(RecordingLife, PcontrolKeepsTheTablesRight) {
  RecordedRun run("life", 2, {.arguments = {"pcontrol"}});
  ASSERT_EQ(run.exit_code(), 0);
  auto lines = run.lines(1);
  std::erase_if(lines, [](const std::string& line) {
    return line.find("Init") != line.npos || line.find("Finalize") != line.npos;
  });
  EXPECT_EQ(lines, text(R"(
    IRECV Irecv comm=0 peer=1 tag=900 bytes=4 request=1
    CALL Recv_init object=0
    CALL Pcontrol object=0
    RECORDING on=0
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=0,1 remote=
    RECORDING on=1
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    SEND Send comm=0 peer=1 tag=902 bytes=4
    COMPLETE Wait n=1 [request=0 peer=-1 tag=-1 bytes=0 comm=-1 kind=3]
    START Start n=1 [request=2 peer=1 tag=901 bytes=4 comm=0 kind=1]
    SEND Send comm=0 peer=1 tag=901 bytes=4
    COMPLETE Wait n=1 [request=2 peer=1 tag=901 bytes=4 comm=0 kind=1]
    CALL Pcontrol object=77
    NOTE note=1 value=1)"));
}

// With recording off nothing but definitions, and results pass through.
TEST(RecordingLife, StartedSwitchedOff) {
  RecordedRun run("life", 2, {.arguments = {"many", "100"}, .environment = {"MORA_RECORD=0"}});
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(run.lines(0), text(R"(
    CALL Init object=0
    RECORDING on=0)"));
}

TEST(RecordingLife, NestedCallsAreNotRecorded) {
  // MPI_Comm_dup, MPI_Win_create and MPICH's Fortran layer call other MPI functions; each call appears once.
  RecordedRun run("communicators", 4);
  EXPECT_EQ(count(run, 0, "Comm_dup"), 300u);
  EXPECT_EQ(count(run, 0, "Comm_idup"), 1u);
}

TEST(RecordingLife, ForkedChildrenLeaveTheJournalAlone) {
  RecordedRun run("life", 2, {.arguments = {"fork"}});
  ASSERT_EQ(run.exit_code(), 0);
  DataQuality quality;
  const auto journal = run.journal(0, quality);
  EXPECT_TRUE(journal.finalized());
  EXPECT_TRUE(quality.empty());
  EXPECT_EQ(count(run, 0, "SENDRECV"), 10u);
  EXPECT_EQ(count(run, 0, "NOTE"), 1u);
}

TEST(RecordingLife, FullDiskEndsRecordingNotTheProgram) {
  // A limit on file size stands for the full disk: both make pwrite fail.
  RecordedRun run("life", 2, {.arguments = {"full"}, .environment = {"MORA_CHUNK_BYTES=65536"}});
  EXPECT_EQ(run.exit_code(), 0);
  for (int rank = 0; rank < 2; rank++) {
    DataQuality quality;
    run.journal(rank, quality);
    EXPECT_TRUE(has(quality, "journal-lost"));
    const auto lost = run.lines_with(rank, "LOST");
    ASSERT_EQ(lost.size(), 1u);
    const std::size_t recorded = count(run, rank, "SENDRECV");
    EXPECT_GT(recorded, 4000u);
    const auto missing = std::stoull(lost[0].substr(lost[0].find("count=") + 6));
    EXPECT_GE(recorded + missing, 20000u);
    EXPECT_LE(recorded + missing, 20010u);
  }
  EXPECT_EQ(run.files(".problem").size(), 2u);
}

TEST(RecordingLife, WithoutSharedMemory) {
  RecordedRun run("life", 2, {.arguments = {"many", "10"}, .environment = {"MORA_SHM=/nonexistent"}});
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_EQ(count(run, 1, "SENDRECV"), 10u);
  EXPECT_TRUE(run.files(".live").empty());  // closed at exit
}

TEST(RecordingLife, WithoutDirectoryTheProgramRuns) {
  RecordedRun run("life", 2, {.arguments = {"many", "10"}, .environment = {"MORA_DIR=/proc/nothing"}});
  EXPECT_EQ(run.exit_code(), 0);
  RecordedRun inert("life", 2, {.arguments = {"many", "10"}, .environment = {"env", "-u", "MORA_DIR"}});
  EXPECT_EQ(inert.exit_code(), 0);
  EXPECT_TRUE(inert.files("").empty());
}

TEST(RecordingLife, WrongFlavourStaysInert) {
  RecordedRun run("life", 2, {.arguments = {"many", "10"}, .library_of = flavour() == "mpich" ? "openmpi" : "mpich"});
  EXPECT_EQ(run.exit_code(), 0);
  EXPECT_TRUE(run.files(".journal").empty());
  EXPECT_EQ(run.files(".problem").size(), 2u);
}

/// Between two calls the program computes for 12 ms of CPU time, or sleeps as long: of the stretches that were read
/// each is one or the other. A virtual machine may take a core away untold, and its system then calls that CPU time or
/// nothing at all: such stretches are seldom.
TEST(RecordingLife, TellsWhetherItHadACore) {
  RecordedRun run("life", 2, {.arguments = {"core"}});
  ASSERT_EQ(run.exit_code(), 0);
  if (in_pattern_mode()) return;
  for (int rank = 0; rank < 2; rank++) {
    DataQuality quality;
    const auto journal = run.journal(rank, quality);
    const auto& clock = journal.clock();
    const double ns_per_tick = static_cast<double>(clock.back().monotonic_ns - clock.front().monotonic_ns) /
                               static_cast<double>(clock.back().ticks - clock.front().ticks);
    auto cursor = journal.records();
    journal::Record record;
    std::vector<std::array<double, 3>> readings;  // time, CPU time, run queue, ns
    bool is_open = false;
    int ran = 0, slept = 0;
    std::string unclear;
    int number_unclear = 0;
    while (cursor.next(record)) {
      if (record.shape != MORA_SHAPE_CORE) {
        is_open = false;
        continue;
      }
      const std::array now{static_cast<double>(record.begin) * ns_per_tick, static_cast<double>(record.payload[0]),
                           static_cast<double>(record.payload[1])};
      if (!readings.empty()) {
        EXPECT_GE(now[1], readings.back()[1]);
        EXPECT_GE(now[2], readings.back()[2]);
        const double whole = now[0] - readings.back()[0];
        if (is_open && whole > 5e6) {
          const double cpu = now[1] - readings.back()[1], queued = now[2] - readings.back()[2];
          const bool has_run = cpu > 11e6;
          if (has_run ? cpu + queued > 0.5 * whole : cpu < 0.2 * whole) {
            (has_run ? ran : slept)++;
          } else {
            number_unclear++;
            unclear += std::to_string(cpu) + " + " + std::to_string(queued) + " of " + std::to_string(whole) + "\n";
          }
        }
      }
      readings.push_back(now);
      is_open = true;
    }
    EXPECT_GE(ran, 3);
    EXPECT_GE(slept, 3);
    EXPECT_LE(4 * number_unclear, ran + slept) << unclear;
  }
}

TEST(RecordingLife, PretendedClocksAreMeasured) {
  RecordedRun run("life", 4,
                  {.arguments = {"many", "10"},
                   .environment = {"MORA_TEST_CLOCK_OFFSET_NS=1:5000000,2:-7000000,3:5000000",
                                   "MORA_TEST_CLOCK_RATE_PPB=2:50000"}});
  ASSERT_EQ(run.exit_code(), 0);
  const std::int64_t expected[] = {0, -5000000, 7000000, -5000000};
  for (int rank = 0; rank < 4; rank++) {
    DataQuality quality;
    const auto journal = run.journal(rank, quality);
    auto cursor = journal.records();
    journal::Record record;
    int phases = 0;
    while (cursor.next(record)) {
      if (record.shape != MORA_SHAPE_CLOCK_OFFSET) continue;
      EXPECT_EQ(journal::pair_low(record.payload[3]), phases++);
      // within the round trip; the drift of rank 2 adds 50 us per second since its start
      const auto error = static_cast<std::int64_t>(record.payload[1]) - expected[rank];
      EXPECT_LE(std::abs(error), static_cast<std::int64_t>(record.payload[2]) + (rank == 2 ? 500000 : 1000)) << rank;
    }
    EXPECT_EQ(phases, rank == 0 ? 0 : 2);
    EXPECT_EQ(journal.header().clock_kind, static_cast<std::uint32_t>(MORA_CLOCK_MONOTONIC));
  }
}

}  // namespace
}  // namespace mora::recording
