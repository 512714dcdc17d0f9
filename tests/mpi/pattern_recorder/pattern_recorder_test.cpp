// The journal of pattern mode: types, data, threads, phases. Expectations are worked out from MPI's rules and
// journal/format.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "recorded_run.h"

namespace mora::recording {
namespace {

using Lines = std::vector<std::string>;

Options pattern(std::vector<std::string> more = {}) {
  Options options;
  options.environment = std::move(more);
  options.environment.push_back("MORA_PATTERN=1");
  return options;
}

std::string output_of(const RecordedRun& run) {
  std::ifstream file(run.directory() + "/output");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Without the words in front that are the same everywhere.
Lines data_lines(const RecordedRun& run, int rank) {
  Lines found;
  for (const auto& line : run.lines_with(rank, "DATA ")) {
    EXPECT_NE(line.find(" thread=0 "), std::string::npos) << line;
    found.push_back(std::regex_replace(line.substr(5), std::regex(" thread=0 types="), " "));
  }
  return found;
}

TEST(PatternRecorder, TypesAreContiguousOnlyIfNothingMustBeCopied) {
  RecordedRun run("types", 1, pattern());
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  auto found = run.lines_with(0, "DEFINE_TYPE");
  ASSERT_EQ(found.size(), 28u);
  // What the last three are called is the library's choice, and so is the name of MPI_LONG_LONG.
  for (std::size_t i = 25; i < 28; i++) found[i] = found[i].substr(0, found[i].find(" name="));
  found[2] = found[2].substr(0, found[2].find(" name="));
  EXPECT_EQ(found, text(R"(
    DEFINE_TYPE id=1 size=8 extent=8 code=0 contiguous predefined name=MPI_DOUBLE
    DEFINE_TYPE id=2 size=1 extent=1 code=6 contiguous predefined name=MPI_BYTE
    DEFINE_TYPE id=3 size=8 extent=8 code=100 contiguous predefined
    DEFINE_TYPE id=4 size=6 extent=8 code=101 predefined name=MPI_SHORT_INT
    DEFINE_TYPE id=5 size=12 extent=16 code=101 predefined name=MPI_DOUBLE_INT
    DEFINE_TYPE id=6 size=8 extent=8 code=100 contiguous predefined name=MPI_2INT
    DEFINE_TYPE id=7 size=1 extent=1 code=2 contiguous predefined name=MPI_CHARACTER
    DEFINE_TYPE id=8 size=4 extent=4 code=5 contiguous predefined name=MPI_REAL
    DEFINE_TYPE id=9 size=4 extent=4 code=1 contiguous predefined name=MPI_INTEGER
    DEFINE_TYPE id=10 size=8 extent=8 code=0 contiguous predefined name=MPI_DOUBLE_PRECISION
    DEFINE_TYPE id=11 size=8 extent=8 code=100 contiguous predefined name=MPI_COMPLEX
    DEFINE_TYPE id=12 size=12 extent=12 code=100 contiguous name=whole contiguous
    DEFINE_TYPE id=13 size=32 extent=32 code=100 contiguous name=whole vector
    DEFINE_TYPE id=14 size=20 extent=20 code=100 contiguous name=whole indexed
    DEFINE_TYPE id=15 size=16 extent=16 code=100 contiguous name=whole struct
    DEFINE_TYPE id=16 size=96 extent=96 code=100 contiguous name=whole subarray
    DEFINE_TYPE id=17 size=40 extent=40 code=100 contiguous name=whole nested
    DEFINE_TYPE id=18 size=16 extent=16 code=100 contiguous name=whole displaced
    DEFINE_TYPE id=19 size=0 extent=0 code=100 contiguous name=whole empty
    DEFINE_TYPE id=20 size=8 extent=12 code=101 name=gap vector
    DEFINE_TYPE id=21 size=4 extent=16 code=101 name=gap resized
    DEFINE_TYPE id=22 size=8 extent=8 code=101 name=gap swapped
    DEFINE_TYPE id=23 size=12 extent=12 code=101 name=gap twice
    DEFINE_TYPE id=24 size=48 extent=96 code=101 name=gap subarray
    DEFINE_TYPE id=25 size=6 extent=6 code=101 name=gap pair
    DEFINE_TYPE id=26 size=1 extent=1 code=100 contiguous
    DEFINE_TYPE id=27 size=2 extent=2 code=100 contiguous
    DEFINE_TYPE id=28 size=3 extent=3 code=100 contiguous)"));
}

TEST(PatternRecorder, DataAreWhatTheArgumentsSay) {
  RecordedRun run("calls", 2, pattern());
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  // 1 MPI_DOUBLE, 2 MPI_INT, 3 MPI_FLOAT, 4 MPI_CHAR, 5 MPI_LONG_LONG
  EXPECT_EQ(data_lines(run, 0), text(R"(
    Irecv 0,1 counts=-1,7 with=-2,-1
    Send 1,0 counts=5,-1
    Recv 0,2 counts=-1,9 with=-1,4
    Sendrecv 2,3 counts=2,4 with=1,1
    Sendrecv_replace 2,2 counts=6,6 with=1,-1
    Isend 4,0 counts=1,-1
    Mprobe 0,0 counts=-1,-1 with=-2,5
    Mrecv 0,4 counts=-1,8 with=3,0
    Isend 4,0 counts=1,-1
    Probe 0,0 counts=-1,-1 with=1,6
    Improbe 0,0 counts=-1,-1 with=1,6
    Imrecv 0,4 counts=-1,8 with=5,0
    Send_init 1,0 counts=3,-1
    Recv_init 0,1 counts=-1,4 with=-2,7
    Startall 1,0 counts=3,-1
    Startall 0,1 counts=-1,4 with=-2,7
    Startall 1,0 counts=3,-1
    Startall 0,1 counts=-1,4 with=-2,7
    Bcast 2,2 counts=3,3
    Gather 1,1 counts=1,1
    Gather 0,1 counts=-1,1
    Scatterv 1,1 counts=-1,1
    Allgather 2,5 counts=2,1
    Allgatherv 2,2 counts=1,-1
    Alltoallv 2,2 counts=-1,-1
    Reduce_scatter 2,2 counts=-1,1
    Iallreduce 2,2 counts=4,4
    Comm_split 0,0 counts=-1,-1 with=4,9
    Comm_split 0,0 counts=-1,-1 with=1,2
    Put 1,3 counts=2,4
    Send 2,0 counts=1,-1
    Send 0,0 counts=1,-1)"));
  const auto second = data_lines(run, 1);
  EXPECT_EQ(second.at(19), "Gather 1,0 counts=1,-1");
  EXPECT_EQ(second.at(20), "Gather 1,0 counts=1,-1");
  EXPECT_EQ(second.at(21), "Scatterv 0,1 counts=-1,2");
  EXPECT_EQ(second.at(27), "Comm_split 0,0 counts=-1,-1 with=5,8");
  EXPECT_EQ(second.at(28), "Comm_split 0,0 counts=-1,-1 with=-2147483648,2");
  EXPECT_EQ(run.lines_with(1, "COLLECTIVE Comm_split").size(), 2u) << "MPI_COMM_NULL is a result, too";
}

TEST(PatternRecorder, DataStandBeforeTheirCallAndNoClockIsRead) {
  RecordedRun run("calls", 2, pattern());
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  for (int rank : {0, 1}) {
    DataQuality quality;
    const auto journal = run.journal(rank, quality);
    EXPECT_EQ(journal.header().clock_kind, static_cast<std::uint32_t>(MORA_CLOCK_NONE));
    EXPECT_EQ(journal.header().chunk_bytes, 65536u);
    unsigned waiting = 0, checked = 0;
    auto cursor = journal.records();
    for (journal::Record record; cursor.next(record);) {
      if (record.shape == MORA_SHAPE_OVERHEAD) continue;
      EXPECT_EQ(record.begin, 0u);
      EXPECT_EQ(record.duration, 0u);
      if (record.function == 0) continue;
      if (waiting != 0) {
        EXPECT_EQ(record.function, waiting);
      }
      waiting = record.shape == MORA_SHAPE_DATA ? record.function : 0;
      checked += waiting != 0;
    }
    EXPECT_EQ(checked, 32u);
    EXPECT_TRUE(quality.rows().empty());
  }
  EXPECT_TRUE(run.files(".maps").empty());
}

struct Threaded {
  std::map<std::string, std::set<int>> threads_of_tag;
  std::map<int, int> calls;
  int foreign_completions = 0, completions = 0;
  std::vector<std::pair<int, std::uint64_t>> exchanged;  ///< tag's thread, size of the type
};

Threaded read_threads(const RecordedRun& run) {
  DataQuality quality;
  const auto journal = run.journal(0, quality);
  Threaded found;
  std::map<std::uint64_t, int> owner;
  std::map<int, std::uint64_t> sizes;
  int thread = 0, type = 0;
  auto cursor = journal.records();
  for (journal::Record r; cursor.next(r);) {
    if (r.shape == MORA_SHAPE_DEFINE_TYPE) sizes[static_cast<int>(r.object)] = r.payload[0];
    if (r.shape == MORA_SHAPE_DATA) {
      thread = static_cast<int>(r.object);
      type = journal::pair_low(r.payload[0]);
      continue;
    }
    if (r.function == 0) continue;
    found.calls[thread]++;
    if (r.shape == MORA_SHAPE_ISEND || r.shape == MORA_SHAPE_IRECV) {
      owner[r.payload[2]] = thread;
      found.threads_of_tag[std::to_string(journal::pair_high(r.payload[0]))].insert(thread);
    }
    if (r.shape == MORA_SHAPE_SENDRECV) found.exchanged.emplace_back(thread, sizes[type]);
    for (std::size_t i = 0; r.shape == MORA_SHAPE_COMPLETE && i < r.payload.size(); i += 4) {
      found.completions++;
      found.foreign_completions += owner.at(r.payload[i]) != thread;
    }
    thread = type = 0;
  }
  return found;
}

class PatternThreads : public ::testing::TestWithParam<const char*> {};

TEST_P(PatternThreads, AllAreRecorded) {
  auto options = pattern();
  options.arguments = {GetParam()};
  const bool multiple = std::string_view(GetParam()) == "multiple";
  RecordedRun run("threads", 1, options);
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  const auto found = read_threads(run);
  EXPECT_EQ(found.completions, (multiple ? 4 : 3) * 1000 + 1);
  EXPECT_EQ(found.foreign_completions, 1) << "the request that was handed over, and no other";
  // Everything that a thread did is one thread's, and no two threads are the same one.
  std::set<int> seen;
  for (const auto& [tag, threads] : found.threads_of_tag) {
    EXPECT_EQ(threads.size(), 1u) << tag;
    if (tag == "77" || tag == "0") continue;
    EXPECT_TRUE(seen.insert(*threads.begin()).second) << tag;
  }
  EXPECT_FALSE(seen.contains(0));
  EXPECT_EQ(found.exchanged.size(), multiple ? 20u : 15u);
  for (const auto& exchanged : found.exchanged) {
    const int thread = exchanged.first;
    const auto own = std::find_if(found.threads_of_tag.begin(), found.threads_of_tag.end(), [&](const auto& entry) {
      return entry.second == std::set<int>{thread} && entry.first != "77";
    });
    ASSERT_NE(own, found.threads_of_tag.end());
    EXPECT_EQ(exchanged.second, (std::stoul(own->first) + 1) * 4)
        << "a type of this thread, not of another that had its handle";
  }
  EXPECT_TRUE(run.lines_with(0, "kind=6").empty()) << "communicators whose creation was not seen";
  EXPECT_TRUE(run.lines_with(0, "NOTE").empty());
}

INSTANTIATE_TEST_SUITE_P(Levels, PatternThreads, ::testing::Values("multiple", "serialized"));

TEST(PatternRecorder, ThreadsThatMayNotCallAreCounted) {
  auto options = pattern();
  options.arguments = {"funneled"};
  RecordedRun run("threads", 1, options);
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  // three threads: 500 x 3 calls and 5 x 6; the one that completes: 2
  EXPECT_EQ(run.lines_with(0, "NOTE"), Lines{"NOTE note=4 value=4592"});
  EXPECT_EQ(read_threads(run).calls.size(), 1u);
}

Lines phases_of(const RecordedRun& run) {
  std::map<std::string, std::string> names;
  Lines found;
  for (const auto& line : run.lines(0)) {
    std::smatch m;
    if (std::regex_match(line, m, std::regex("DEFINE_MARK number=(\\d+) kind=5 line=\\d+ file=.* name=(.*)")))
      names[m[1]] = m[2];
    if (std::regex_match(line, m, std::regex("MARK_(BEGIN|END) number=(\\d+) argument=0"))) {
      EXPECT_TRUE(names.contains(m[2])) << line;
      found.push_back(m[1].str() + " " + names[m[2]]);
    }
    if (line.starts_with("COLLECTIVE Barrier")) found.push_back("barrier");
  }
  return found;
}

Lines all_rounds(bool with_mini) {
  Lines lines;
  for (const char* name : {"round0", "round1"})
    for (const auto& line : {std::string("BEGIN ") + name, std::string("BEGIN inner"), std::string("barrier"),
                             std::string("END inner"), std::string("END ") + name})
      lines.push_back(line);
  if (with_mini) lines.insert(lines.end(), {"BEGIN mini", "END mini"});
  return lines;
}

TEST(PatternRecorder, PhasesInEveryKindOfCode) {
  for (const std::string program : {"phases", "phases-fixed", "phases-cxx"}) {
    for (const bool in_pattern : {true, false}) {
      RecordedRun run(program, 1, in_pattern ? pattern() : Options{});
      ASSERT_EQ(run.exit_code(), 0) << output_of(run);
      EXPECT_EQ(phases_of(run), all_rounds(program != "phases-fixed")) << program;
      EXPECT_EQ(output_of(run), "ran 12, dry run 0\n");
      EXPECT_EQ(run.lines_with(0, "NOTE"), Lines{"NOTE note=6 value=1"}) << "the phase before MPI_Init";
    }
  }
  RecordedRun disabled("phases-disabled", 1, pattern());
  EXPECT_EQ(disabled.exit_code(), 0);
  EXPECT_EQ(output_of(disabled), "ran 12, dry run 0\n");
  EXPECT_EQ(phases_of(disabled), (Lines{"barrier", "barrier", "BEGIN mini", "END mini"}));
}

TEST(PatternRecorder, PhasesInFortran) {
  RecordedRun run("phases-fortran", 1, pattern());
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  EXPECT_EQ(phases_of(run), text(R"(
    BEGIN round0
    barrier
    END round0
    BEGIN round1
    barrier
    END round1
    BEGIN macro
    END macro
    BEGIN mini
    END mini)"));
  EXPECT_EQ(output_of(run), "ran\n");
}

// Open MPI's routines arrive as Fortran, MPICH's with buffers as C: the flag is the library's choice, everything else
// is one text.
TEST(PatternRecorder, FortranWithMpiF08) {
  for (const bool in_pattern : {true, false}) {
    RecordedRun run("f08", 2, in_pattern ? pattern() : Options{});
    ASSERT_EQ(run.exit_code(), 0) << output_of(run);
    EXPECT_TRUE(run.files(".problem").empty());
    auto found = run.lines(0);
    std::erase_if(found, [](const auto& line) {
      return line.starts_with("DEFINE") || line.starts_with("DATA") || line.find("unsuccessful") != std::string::npos;
    });
    for (auto& line : found)
      line = std::regex_replace(std::regex_replace(line, std::regex("flags=fortran,"), "flags="),
                                std::regex(" flags=fortran"), "");
    EXPECT_EQ(found, text(R"(
      CALL Init object=0
      IRECV Irecv comm=0 peer=-2 tag=3 bytes=16 request=1
      ISEND Isend comm=0 peer=1 tag=3 bytes=16 request=2
      COMPLETE Waitall n=2 [request=1 peer=1 tag=3 bytes=16 comm=0 kind=1] [request=2 peer=1 tag=3 bytes=16 comm=0 kind=0]
      COLLECTIVE Comm_split comm=0 root=-1 sent=0 received=0
      COLLECTIVE Cart_create comm=0 root=-1 sent=0 received=0
      COLLECTIVE Allreduce comm=2 root=-1 sent=0 received=0 flags=in_place
      SENDRECV Sendrecv comm=3 dest=1 sendtag=1 sent=8 source=1 recvtag=1 received=8
      CALL Type_contiguous object=0
      CALL Type_commit object=0
      COLLECTIVE Bcast comm=2 root=0 sent=16 received=16
      CALL Type_free object=0
      ISEND Isend comm=1 peer=0 tag=9 bytes=4 request=3
      RECV Recv comm=1 peer=0 tag=9 bytes=4
      COMPLETE Test n=1 [request=3 peer=0 tag=9 bytes=4 comm=1 kind=0]
      NAME id=3 what=0 name=ring
      CALL Comm_set_name object=3
      COLLECTIVE Barrier comm=3 root=-1 sent=0 received=0
      FREE_COMM object=2
      COLLECTIVE Comm_free comm=2 root=-1 sent=0 received=0
      FREE_COMM object=3
      COLLECTIVE Comm_free comm=3 root=-1 sent=0 received=0
      CALL Finalize object=0 flags=open
      CALL Finalize object=0)"));
  }
}

// With a tag of its own every process stays alone: nothing is agreed on with others, who may not exist.
TEST(PatternRecorder, AGivenTagMeansNoCommunication) {
  RecordedRun run("types", 1, pattern({"MORA_RUN_TAG=abcdef0123"}));
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  const auto files = run.files(".journal");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files.front().ends_with("/000000abcdef0123.0.journal")) << files.front();
  DataQuality quality;
  EXPECT_EQ(run.journal(0, quality).header().run_tag, 0xabcdef0123u);
  RecordedRun alone(
      "calls", 2,
      pattern({"sh", "-c", "'MORA_RUN_TAG=$((100 + ${PMI_RANK:-$OMPI_COMM_WORLD_RANK})) exec \"$@\"'", "sh", "env"}));
  ASSERT_EQ(alone.exit_code(), 0) << output_of(alone);
  ASSERT_EQ(alone.files(".journal").size(), 2u);
  EXPECT_TRUE(alone.files(".journal").front().ends_with("/0000000000000100.0.journal"))
      << "each process has its own tag";
  EXPECT_TRUE(alone.files(".journal").back().ends_with("/0000000000000101.1.journal"));
}

// Abbreviated records refer to earlier ones. If those are gone, nothing may be made up.
TEST(PatternRecorder, WhatRefersToALostChunkIsCountedNotGuessed) {
  auto options = pattern({"MORA_CHUNK_BYTES=32768"});
  options.arguments = {"multiple"};
  RecordedRun run("threads", 1, options);
  ASSERT_EQ(run.exit_code(), 0) << output_of(run);
  std::multiset<std::string> whole;
  for (const auto& line : run.lines(0)) whole.insert(line);
  const std::string path = run.files(".journal").front();
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  in.close();
  mora_file_header header;
  mora_chunk_header chunk;
  ASSERT_GT(bytes.size(), sizeof header + 3 * sizeof chunk);
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(&chunk, bytes.data() + header.header_bytes, sizeof chunk);
  ASSERT_LT(header.header_bytes + sizeof chunk + chunk.used, bytes.size() / 2) << "several chunks are needed";
  bytes.erase(header.header_bytes, sizeof chunk + chunk.used);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  DataQuality quality;
  run.journal(0, quality);
  const auto& rows = quality.rows();
  const auto row = [&](const std::string& kind) {
    return std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.kind == kind; });
  };
  ASSERT_NE(row("journal-damaged-record"), rows.end());
  EXPECT_GT(row("journal-damaged-record")->count, 100u);
  EXPECT_NE(row("journal-gap"), rows.end());
  for (const auto& line : run.lines(0)) {
    const auto at = whole.find(line);
    ASSERT_NE(at, whole.end()) << "not in the whole journal: " << line;
    whole.erase(at);
  }
}

}  // namespace
}  // namespace mora::recording
