#include "trace/readers/otf2/otf2_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/version.h"
#include "support/otf2/sample_archive.h"
#include "support/read_events.h"
#include "trace/mpi_function.h"
#include "trace/readers/otf2/probe.h"

namespace mora::trace {
namespace {

std::string kinds(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) text += (text.empty() ? "" : " ") + std::to_string(e.time) + ":" + to_string(e.kind);
  return text;
}

TEST(Otf2Source, reads_what_the_archive_writer_wrote) {
  const SampleArchive sample;
  auto source = open_otf2(sample.directory() + "/traces.otf2");
  ASSERT_TRUE(source) << source.error().text();
  const Definitions& d = (*source)->definitions();
  ASSERT_EQ(d.locations.size(), 2U);
  EXPECT_EQ(d.locations[1].rank, 1U);
  EXPECT_EQ(d.world_size, 2U);
  EXPECT_EQ(d.program, "sample");
  EXPECT_EQ(d.nodes[d.locations[0].node].name, "hostA");
  EXPECT_EQ((*source)->format(), std::string("OTF2 3.0 (Mora ") + version() + ")");

  const auto first = read_events(**source, 0);
  EXPECT_EQ(kinds(first),
            "0:program_begin 100:enter 100:send 140:leave 200:enter 200:collective_begin 260:collective_end 260:leave "
            "300:enter 300:put 340:leave 400:enter 400:rma_collective_begin 450:rma_complete 450:rma_collective_end "
            "450:leave "
            "500:enter 500:send_request 510:leave 520:enter 560:send_complete 560:leave 900:program_end");
  const Event& send = first[2];
  EXPECT_EQ(send.peer, 1U);
  EXPECT_EQ(send.bytes, 80U);
  EXPECT_EQ(send.tag, 7);
  EXPECT_EQ(d.communicators[send.comm].members, (std::vector<std::uint32_t>{0, 1}));
  const Region& region = d.regions[first[1].region];
  EXPECT_EQ(region.name, "MPI_Send");
  EXPECT_EQ(region.call_site_file, "sample.c");
  EXPECT_EQ(region.call_site_line, 20U);
  EXPECT_EQ(region.kind, RegionKind::mpi);
  EXPECT_EQ(first[6].collective, Collective::bcast);
  EXPECT_EQ(first[6].root, 1U);
  EXPECT_EQ(first[9].received, 64U);
  EXPECT_EQ(first[9].bytes, 80U);
  EXPECT_EQ(first[9].peer, 1U);
  EXPECT_EQ(first[9].end_time, at_leave);
  EXPECT_EQ(first[14].rma_operation, RmaOperation::fence);
  EXPECT_EQ(first[14].assertion, 2U);

  const auto second = read_events(**source, 1);  // its clock is 1000 ns ahead at the start and 1010 at the end
  EXPECT_EQ(second[0].time, 0);
  EXPECT_EQ(second[1].time, 150);
  EXPECT_EQ(second.back().time, 900);
  EXPECT_TRUE((*source)->quality().empty());
}

TEST(Otf2Source, what_is_not_there_is_an_error_that_says_so) {
  EXPECT_EQ(open_otf2("/nonexistent/traces.otf2").error().kind, ErrorKind::unreadable);
  const SampleArchive sample;
  std::filesystem::remove(sample.directory() + "/traces.def");
  const auto source = open_otf2(sample.directory() + "/traces.otf2");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
}

TEST(Otf2Source, checksums_that_differ_are_reported) {
  const SampleArchive sample;
  ASSERT_TRUE(write_file_atomically(
      sample.directory() + "/manifest.json",
      R"({"archive": {"files": [{"path": "traces.otf2", "bytes": 1, "xxh3": "0000000000000000"}]}})"));
  auto source = open_otf2(sample.directory() + "/traces.otf2");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_TRUE((*source)->quality().empty()) << "events are checked when the first is read";
  class : public EventSink {
    void on_event(const Event&) override {}
  } sink;
  ASSERT_TRUE((*source)->read_location(0, sink));
  ASSERT_TRUE((*source)->read_location(1, sink));
  ASSERT_EQ((*source)->quality().rows().size(), 1U);
  EXPECT_EQ((*source)->quality().rows()[0].kind, "checksum-mismatch");
}

TEST(Otf2Source, a_manifest_has_no_say_about_files_elsewhere) {
  const auto compared = [](const char* other) {
    const SampleArchive sample;
    std::filesystem::create_directories(sample.directory() + "/below");
    EXPECT_TRUE(write_file_atomically(sample.directory() + "/below/file", "x"));
    std::string files;
    const auto list = [&](const std::string& path) {
      const auto bytes = read_file(sample.directory() + "/" + path);
      files += fmt::format(R"({}{{"path": "{}", "bytes": {}, "xxh3": "{:016x}"}})", files.empty() ? "" : ", ", path,
                           bytes->size(), XXH3_64bits(bytes->data(), bytes->size()));
    };
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sample.directory())) {
      const std::string path = std::filesystem::relative(entry.path(), sample.directory()).string();
      if (entry.is_regular_file() && path != "manifest.json" && path != "below/file") list(path);
    }
    list(other);
    EXPECT_TRUE(
        write_file_atomically(sample.directory() + "/manifest.json", R"({"archive": {"files": [)" + files + "]}}"));
    return otf2::compare_checksums(sample.directory(), otf2::ArchivePart::whole);
  };
  EXPECT_EQ(compared("below/file"), otf2::Checksums::match);
  EXPECT_EQ(compared("below/../below/file"), otf2::Checksums::differ);
}

TEST(Otf2Source, a_missing_event_file_is_an_error_of_that_location_only) {
  const SampleArchive sample;
  std::filesystem::remove(sample.directory() + "/traces/1.evt");
  auto source = open_otf2(sample.directory() + "/traces.otf2");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ(read_events(**source, 0).size(), 23U);
  EventCollector sink;
  const auto done = (*source)->read_location(1, sink);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().where.find("1.evt"), std::string::npos);
}

}  // namespace
}  // namespace mora::trace
