#include "trace/readers/paraver/paraver_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "support/scratch_directory.h"
#include "support/trace/paraver_samples.h"
#include "support/trace/paraver_text.h"
#include "trace/metrics/metric_value.h"
#include "trace/mpi_function.h"
#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/labels.h"
#include "trace/readers/paraver/syntax/header.h"
#include "trace/readers/paraver/syntax/line_reader.h"
#include "trace/readers/paraver/syntax/record.h"

namespace mora::trace {
namespace paraver_source_test {

using namespace paraver;

TEST(Paraver, TheSampleIsReadWhole) {
  const auto source = read(sample_prv, sample_pcf, sample_row);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(
      text(*source, 0),
      "program_begin@0 +main@0 +MPI_Init@10 -MPI_Init@20 +a_function_with_a_long_name@300 +MPI_Send@400 "
      "PAPI_TOT_INS=700@400 send(1,#7,2048)@400 -MPI_Send@410 PAPI_TOT_INS=20@410 -a_function_with_a_long_name@430 "
      "+MPI_Irecv@500 receive_requestr1@510 -MPI_Irecv@510 +MPI_Wait@600 receive_complete(1,#-1,16)r1@640 "
      "-MPI_Wait@640 +MPI_Bcast@700 collective_begin@700 collective_end(MPI_COMM_WORLD,0,800,0)@720 -MPI_Bcast@720 "
      "recording_off@800 recording_on@900 +MPI_Finalize@950 -MPI_Finalize@990 -main@1000 program_end@1000");
  EXPECT_EQ(
      text(*source, 1),
      "program_begin@0 +main@0 +MPI_Init@10 -MPI_Init@20 +MPI_Recv@100 PAPI_TOT_INS=5000@100 "
      "receive(0,#7,2048)@420 -MPI_Recv@420 PAPI_TOT_INS=90@420 +MPI_Isend@550 send_request(0,#-1,16)r1@550 "
      "-MPI_Isend@555 +MPI_Bcast@660 collective_begin@660 collective_end(MPI_COMM_WORLD,0,0,800)@725 "
      "-MPI_Bcast@725 Number of iterations=42@810 Phase=solve@810 Phase=3@810 +MPI_Finalize@950 -MPI_Finalize@990 "
      "-main@1000 program_end@1000");
  const Definitions& d = source->definitions();
  EXPECT_EQ(d.program, "test");
  EXPECT_EQ(d.world_size, 2u);
  ASSERT_EQ(d.nodes.size(), 2u);
  EXPECT_EQ(d.nodes[1].name, "beta");
  EXPECT_EQ(d.locations[1].node, 1u);
  EXPECT_EQ(d.communicators.size(), 2u);
  EXPECT_EQ(d.metrics[0].name, "PAPI_TOT_INS");
  EXPECT_EQ(count_of(*source, "uninterpreted-event"), 3u);  // two states and type 9999
}

TEST(Paraver, CallSitesComeFromCallerLines) {
  const auto source = read(sample_prv, sample_pcf);
  std::map<std::string, std::string> sites;
  for (const Region& r : source->definitions().regions)
    sites[r.name] = r.call_site_file + ":" + std::to_string(r.call_site_line);
  EXPECT_EQ(sites["MPI_Send"], "work.c:20");
  EXPECT_EQ(sites["MPI_Irecv"], "work.c:31");
  EXPECT_EQ(sites["a_function_with_a_long_name"], "work.c:12");
  EXPECT_EQ(sites["MPI_Wait"], ":0");
}

TEST(Paraver, WithoutLabelsUsualNamesAreUsed) {
  const auto source = read(sample_prv);
  EXPECT_EQ(count_of(*source, "missing-labels"), 1u);
  const std::string first = text(*source, 0);
  EXPECT_NE(first.find("+event 60000019 value 2@300 +MPI_Send@400 PAPI_TOT_INS=700@400"), std::string::npos) << first;
  EXPECT_NE(text(*source, 1).find("-MPI_Bcast@725 +MPI_Finalize@950"), std::string::npos);
  EXPECT_EQ(source->definitions().nodes[1].name, "node 2");
  EXPECT_EQ(count_of(*source, "uninterpreted-event"), 6u);  // two states, types 9999, 1000, 2000 (twice)
}

TEST(Paraver, UnknownMpiValuesAreRegionsByNumber) {
  const auto source = read(two_tasks("2:1:1:1:1:5:50000001:999\n2:1:1:1:1:6:50000001:0\n"));
  EXPECT_EQ(text(*source, 0), "+event 50000001 value 999@0 -event 50000001 value 999@1");
}

TEST(Paraver, UnitsOfTime) {
  const std::pair<const char*, Nanoseconds> units[] = {
      {"_ns", 1}, {"_us", 1000}, {"", 1000}, {"_ms", 1000000}, {"_s", 1000000000}};
  for (const auto& [unit, factor] : units) {
    const auto source =
        read("#Paraver (d):100" + std::string(unit) + ":0:1:1(1:0)\n2:0:1:1:1:3:60000019:1\n2:0:1:1:1:5:60000019:0\n");
    ASSERT_NE(source, nullptr);
    EXPECT_EQ(source->duration_hint(), 2 * factor) << unit;
    EXPECT_EQ(source->definitions().time_origin, 3 * factor) << unit;
  }
}

TEST(Paraver, HeadersOfOtherWritersAreRead) {
  const auto header = [](std::string_view line) { return parse_header(line, "x"); };
  EXPECT_TRUE(header("#Paraver (06/01/2011 at 11:22):2001_ns:2(1,1):1:2(1:1,1:2),0"));  // coNCePTuaL
  EXPECT_TRUE(header("#Paraver (19/02/2010 at 16:22):5000000010:1(1):1:1(1:1)"));
  EXPECT_TRUE(header("#Paraver (d):00000000000000000000_ns:0:1:1(7:1)"));
  EXPECT_TRUE(header("#Paraver (d):5_ns:0():1:1(7:1)"));
  // Two applications, as the format's document separates them and as Extrae does.
  for (const char* line : {"#Paraver (d):5_ns:1(4):2:2(1:1,2:1):1(1:1)", "#Paraver (d):5_ns:1(4):2:2(1:1,2:1),7:1(1:1)",
                           "#Paraver (d):5_ns:1(4):2:2(1:1,2:1),1(1:1),3"}) {
    const auto two = header(line);
    ASSERT_TRUE(two.has_value()) << line;
    ASSERT_EQ(two->applications.size(), 2u);
    EXPECT_EQ(two->applications[0][1].threads, 2u);
    EXPECT_EQ(two->applications[1].size(), 1u);
  }
}

TEST(Paraver, WrongHeadersAreErrorsWithTheReason) {
  for (const char* line :
       {"", "Paraver (d):5_ns:0:1:1(1:1)", "#Paraver", "#Paraver (d):x:0:1:1(1:1)", "#Paraver (d):5_fs:0:1:1(1:1)",
        "#Paraver (d):5_ns:1(:1:1(1:1)", "#Paraver (d):5_ns:0:0:", "#Paraver (d):5_ns:0:1:3(1:1)",
        "#Paraver (d):5_ns:0:2:1(1:1)", "#Paraver (d):5_ns:0:18446744073709551615:1(1:1)",
        "#Paraver (d):5_ns:99999999999:1:1(1:1)", "#Paraver (d):5_ns:0:1:18446744073709551617(1:1)"}) {
    const auto source = read_paraver(line, {}, {}, "x.prv");
    ASSERT_FALSE(source.has_value()) << line;
    EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
    EXPECT_EQ(source.error().where, "x.prv line 1");
    EXPECT_FALSE(source.error().why.empty());
  }
}

TEST(Paraver, RecordsOutOfOrderAreRaisedAndCounted) {
  const auto source = read(two_tasks("2:1:1:1:1:10:60000019:1\n2:1:1:1:1:5:60000019:0\n"));
  EXPECT_EQ(text(*source, 0), "+event 60000019 value 1@0 -event 60000019 value 1@0");
  EXPECT_EQ(count_of(*source, "clock-went-backwards"), 1u);
}

TEST(Paraver, DamagedLinesAreCounted) {
  const auto source =
      read(two_tasks("2:1:1:1:1:10:60000019:1\nhello\n2:1:1:1:1:20\n2:1:1:1:1:20:5\n2:1:1:1:1:20:5:x\n"
                     "3:1:1:1:1:20\n1:1\n\n# a comment\n2:1:1:1:1:99999999999999999999:5:6\n4:1:1\n"
                     "2:1:1:1:1:20:60000019:0\n2:1:1:1:1:30:60000019:1"));
  EXPECT_EQ(count_of(*source, "damaged-record"), 7u);
  EXPECT_EQ(count_of(*source, "uninterpreted-event"), 1u);
  EXPECT_EQ(count_of(*source, "truncated-trace"), 1u);  // the last line has no end
  EXPECT_EQ(text(*source, 0), "+event 60000019 value 1@0 -event 60000019 value 1@10");
}

TEST(Paraver, ATraceThatEndsBeforeItsHeaderSaysIsNoted) {
  const auto source = read("#Paraver (d):100_ns:0:1:1(1:0)\n2:0:1:1:1:3:60000019:1\n2:0:1:1:1:5:60000019:0\n");
  EXPECT_EQ(count_of(*source, "truncated-trace"), 1u);
}

TEST(Paraver, CallsThatNeverEndOrBegin) {
  const auto source =
      read(two_tasks("2:1:1:1:1:1:50000001:0\n2:1:1:1:1:2:60000019:0\n2:1:1:1:1:10:60000019:1\n"
                     "2:1:1:1:1:20:50000001:1\n2:1:1:1:1:30:50000001:2\n2:1:1:1:1:40:60000019:0\n"
                     "2:1:1:1:1:50:50000002:8\n"));
  EXPECT_EQ(text(*source, 0),
            "+event 60000019 value 1@0 +MPI_Send@10 -MPI_Send@20 +MPI_Recv@20 -MPI_Recv@30 -event 60000019 value 1@30 "
            "+MPI_Barrier@40 -MPI_Barrier@40");
  EXPECT_EQ(count_of(*source, "stray-leave"), 2u);
  EXPECT_EQ(count_of(*source, "missing-leave"), 2u);
  EXPECT_EQ(count_of(*source, "unclosed-region"), 1u);
}

TEST(Paraver, AFunctionCalledByMpiEndsWithIt) {
  const auto source =
      read(two_tasks("2:1:1:1:1:10:50000001:1\n2:1:1:1:1:20:60000019:1\n2:1:1:1:1:30:50000001:0\n"
                     "2:1:1:1:1:40:60000019:0\n"));
  EXPECT_EQ(text(*source, 0), "+MPI_Send@0 +event 60000019 value 1@10 -event 60000019 value 1@20 -MPI_Send@20");
  EXPECT_EQ(count_of(*source, "stray-leave"), 1u);
}

TEST(Paraver, RootsAreToldToAllMembers) {
  // Two broadcasts with different roots; who is not the root leaves before the root has come.
  std::string body = "c:1:1:2:1:2\n";
  const auto bcast = [](int task, int enter, int leave, bool root) {
    const std::string head = "2:1:1:" + std::to_string(task) + ":1:";
    return head + std::to_string(enter) + ":50000002:7:50100001:0:50100002:4:50100004:1" + (root ? ":50100003:1" : "") +
           "\n" + head + std::to_string(leave) + ":50000002:0\n";
  };
  body += bcast(2, 10, 15, false) + bcast(1, 20, 25, true) + bcast(1, 30, 35, false) + bcast(2, 40, 45, true);
  const auto source = read(two_tasks(body));
  for (LocationId l = 0; l < 2; ++l) {
    std::vector<std::uint32_t> roots;
    for (const Event& e : read_events(*source, l)) {
      if (e.kind == EventKind::collective_end) roots.push_back(e.root);
    }
    EXPECT_EQ(roots, (std::vector<std::uint32_t>{0, 1})) << l;
  }
}

TEST(Paraver, CollectivesWithoutCommunicatorAreEnterAndLeave) {
  const auto source = read(two_tasks("2:1:1:1:1:10:50000002:8:50100004:5\n2:1:1:1:1:20:50000002:0\n"));
  EXPECT_EQ(text(*source, 0), "+MPI_Barrier@0 -MPI_Barrier@10");
  EXPECT_EQ(count_of(*source, "unknown-communicator"), 1u);
}

TEST(Paraver, CommunicatorsAreCheckedAndNamed) {
  const auto source =
      read(two_tasks("c:1:1:2:1:2\nc:1:2:1:2\nc:1:2:1:1\nc:1:3:1:9\nc:1:4:2:1:1\nc:1:5:3:1:2\n"
                     "i:1:6:1:1:2:1\ni:1:7:1:1:99:1\n2:1:1:1:1:1:60000019:1\n"));
  const auto& all = source->definitions().communicators;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(all[1].members, (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(all[2].inter());
  EXPECT_EQ(count_of(*source, "duplicate-definition"), 1u);
  EXPECT_EQ(count_of(*source, "undefined-reference"), 3u);
  EXPECT_EQ(count_of(*source, "damaged-record"), 1u);
}

TEST(Paraver, StatesAreRegionsOnlyWhereNothingElseIs) {
  const std::string states =
      "1:1:1:1:1:0:10:1\n1:2:1:2:1:0:30:3\n1:1:1:1:1:10:20:4\n3:1:1:1:1:10:20:2:1:2:1:0:30:8:1\n"
      "1:1:1:1:1:20:30:1\n1:2:1:2:1:30:40:77\n";
  auto source = read(two_tasks(states));
  EXPECT_EQ(text(*source, 0),
            "+Running@0 -Running@10 +Blocking Send@10 send(1,#1,8)@10 -Blocking Send@20 +Running@20 -Running@30");
  EXPECT_EQ(text(*source, 1),
            "+Waiting a message@0 receive(0,#1,8)@30 -Waiting a message@30 +state 77@30 -state 77@40");
  source = read(two_tasks(states + "2:1:1:1:1:30:60000019:1\n"));
  EXPECT_EQ(text(*source, 0), "send(1,#1,8)@0 +event 60000019 value 1@20 -event 60000019 value 1@20");
  EXPECT_EQ(count_of(*source, "uninterpreted-event"), 5u);
}

TEST(Paraver, OverlappingStatesEndEachOther) {
  const auto source = read(two_tasks("1:1:1:1:1:0:10:1\n1:1:1:1:1:5:15:2\n1:1:1:1:1:15:15:3\n"));
  EXPECT_EQ(text(*source, 0), "+Running@0 -Running@5 +Not created@5 -Not created@15");
  EXPECT_EQ(count_of(*source, "missing-leave"), 1u);
}

TEST(Paraver, ThreadsAndApplicationsAreLocationsAndRanks) {
  const std::string prv =
      "#Paraver (d):0_ns:1(4):2:2(1:1,2:1):1(1:1)\n2:1:1:2:2:5:60000019:1\n2:1:2:1:1:5:60000019:2\n"
      "3:1:1:1:1:5:5:1:1:2:1:5:9:1:1\n3:1:1:2:1:5:5:1:1:2:2:5:9:1:1\n3:1:1:1:1:5:5:1:2:1:1:5:9:1:1\n";
  const auto source = read(prv);
  const Definitions& d = source->definitions();
  EXPECT_EQ(d.world_size, 2u);
  ASSERT_EQ(d.locations.size(), 3u);
  EXPECT_EQ(d.locations[2].name, "rank 1 thread 1");
  EXPECT_EQ(text(*source, 1), "receive(0,#1,1)@4");
  EXPECT_EQ(count_of(*source, "uninterpreted-event"), 2u);  // between threads of one process, and of applications
  EXPECT_EQ(count_of(*source, "other-applications"), 1u);
  const auto second = read_paraver(prv, {}, {}, "test.prv", {}, 2);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ((*second)->definitions().world_size, 1u);
  EXPECT_EQ(text(**second, 0), "+event 60000019 value 2@0 -event 60000019 value 2@0");
  EXPECT_EQ(read_paraver(prv, {}, {}, "test.prv", {}, 3).error().kind, ErrorKind::usage);
}

TEST(Paraver, ValuesOf64Bits) {
  const auto source = read(two_tasks("2:1:1:1:1:1:42000050:18446744073709551615:42000059:-5\n"));
  const auto all = read_events(*source, 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(metric_value_of(all[0]).text(), "18446744073709551615");
  EXPECT_EQ(metric_value_of(all[1]).text(), "-5");
}

TEST(Paraver, HostileTimesDoNotOverflow) {
  const auto source =
      read(two_tasks("2:1:1:1:1:-9223372036854775808:60000019:1\n2:1:1:1:1:9223372036854775807:60000019:0\n"
                     "3:1:1:1:1:-9223372036854775808:0:2:1:2:1:0:9223372036854775807:1:1\n"));
  EXPECT_EQ(source->duration_hint(), INT64_MAX);
  EXPECT_EQ(read_events(*source, 0).size(), 3u);
  EXPECT_EQ(count_of(*source, "time-out-of-range"), 1u);
}

TEST(Paraver, LabelsOfOneSidedCallsThatExtraeSwappedAreSwappedBack) {
  const std::string pcf = "EVENT_TYPE\n9 50000004 MPI One-sided\nVALUES\n69 MPI_Win_complete\n70 MPI_Win_start\n";
  LineReader lines = LineReader::of(pcf);
  Labels labels;
  labels.read_pcf(lines);
  EXPECT_EQ(*labels.value(50000004, 69), "MPI_Win_start");
  EXPECT_EQ(*labels.value(50000004, 70), "MPI_Win_complete");
}

TEST(Paraver, EveryUsualNameIsAnMpiFunction) {
  for (std::uint64_t value = 1; value < 173; ++value)
    EXPECT_NE(mpi::find(extrae::mpi_function_name(value)), mpi::FunctionId::none) << value;
  EXPECT_EQ(extrae::mpi_function_name(0), nullptr);
  EXPECT_EQ(extrae::mpi_function_name(173), nullptr);
  EXPECT_STREQ(extrae::mpi_function_name(80), "MPI_Reduce_scatter");
  EXPECT_STREQ(extrae::mpi_function_name(150), "MPI_File_write_at_all");
}

TEST(Paraver, LinesOfAnyLengthAndEnding) {
  const std::string longest(300000, 'x');
  const std::string content = "a\r\n\n" + longest + "\nb";
  LineReader lines = LineReader::of(content);
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, longest);
  EXPECT_TRUE(lines.whole());
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(lines.whole());
  EXPECT_EQ(lines.number(), 4u);
  EXPECT_FALSE(lines.next(line));
}

TEST(Paraver, LinesBeyondTheLimitArePassedOver) {
  const std::string content = "a\n" + std::string(2 * LineReader::longest_line + 5, 'x') + "\nb\n" +
                              std::string(LineReader::longest_line + 1, 'y');
  LineReader lines = LineReader::of(content);
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_FALSE(lines.next(line));
  EXPECT_EQ(lines.too_long(), 2u);
}

class ParaverFiles : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view content) { scratch.write(name, content); }
  void write_packed(const std::string& name, std::string_view content) {
    gzFile file = gzopen((directory + "/" + name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }
  const ScratchDirectory scratch;
  const std::string& directory = scratch.path();
};

TEST_F(ParaverFiles, CompanionsAreFoundBesideTheTrace) {
  write("a.prv", sample_prv);
  write("a.pcf", sample_pcf);
  write("a.row", sample_row);
  const auto source = open_paraver(directory + "/a.prv");
  ASSERT_TRUE(source.has_value()) << source.error().text();
  EXPECT_EQ((*source)->format(), "Paraver");
  EXPECT_EQ(count_of(**source, "missing-labels"), 0u);
  EXPECT_EQ((*source)->definitions().nodes[0].name, "alpha");
}

TEST_F(ParaverFiles, PackedFilesAreReadAsTheyAre) {
  write_packed("a.prv.gz", sample_prv);
  write_packed("a.pcf.gz", sample_pcf);
  write_packed("a.row.gz", sample_row);
  const auto packed = open_paraver(directory + "/a.prv.gz");
  ASSERT_TRUE(packed.has_value()) << packed.error().text();
  const auto plain = read(sample_prv, sample_pcf, sample_row);
  for (LocationId l = 0; l < 2; ++l) EXPECT_EQ(text(**packed, l), text(*plain, l));
  EXPECT_EQ((*packed)->definitions().program, "a");
}

TEST_F(ParaverFiles, ACutPackedFileGivesWhatItHolds) {
  write_packed("a.prv.gz", sample_prv);
  const std::string path = directory + "/a.prv.gz";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
  const auto source = open_paraver(path);
  ASSERT_TRUE(source.has_value()) << source.error().text();
  EXPECT_GT(read_events(**source, 0).size(), 3u);
  EXPECT_GE(count_of(**source, "truncated-trace"), 1u);
}

TEST_F(ParaverFiles, AMissingFileIsAnError) {
  const auto source = open_paraver(directory + "/none.prv");
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
}

TEST(Paraver, ASmallSpoolGivesTheSameEvents) {
  std::string body;
  for (int i = 0; i < 2000; ++i)
    body += "2:1:1:1:1:" + std::to_string(10 * i) + ":50000001:1\n2:1:1:1:1:" + std::to_string(10 * i + 5) +
            ":50000001:0\n";
  auto small = read_paraver(two_tasks(body), {}, {}, "x", {.budget = 4096, .directory = {}});
  ASSERT_TRUE(small.has_value());
  EXPECT_EQ(text(**small, 0), text(*read(two_tasks(body)), 0));
}

}  // namespace paraver_source_test
}  // namespace mora::trace
