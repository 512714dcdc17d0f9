/// Which reader a path comes to; what the readers make of it is tested beside them.
#include "trace/readers/open_trace.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <tuple>

#include "base/interruption.h"
#include "support/otf2/sample_archive.h"
#include "support/scratch_directory.h"
#include "support/trace/paraver_samples.h"

namespace mora::trace {
namespace {

TEST(OpenTrace, FindsTheAnchorFileOfADirectory) {
  const SampleArchive sample;
  EXPECT_EQ(anchor_file(sample.directory()), sample.directory() + "/traces.otf2");
  const auto source = open_trace(sample.directory());
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->format().substr(0, 4), "OTF2");
}

TEST(OpenTrace, FindsTheFormatFromTheContentOfAPlainOrPackedFile) {
  const ScratchDirectory directory;
  const std::string plain = directory.write("a.prv", paraver::sample_prv);
  const std::string packed = plain + ".gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  gzputs(file, paraver::sample_prv);
  gzclose(file);
  for (const std::string& path : {plain, packed}) {
    const auto source = open_trace(path);
    ASSERT_TRUE(source) << source.error().text();
    EXPECT_EQ((*source)->format(), "Paraver");
    EXPECT_FALSE(open_trace(path, "alog")) << "the format that is named is taken";
  }
}

/// Bytes read, of bytes to read, and the size of the file.
std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> bytes_of_opening(const std::string& path) {
  const std::atomic<bool> go_on{false};
  ReadBytes bytes;
  const InterruptedBy told(go_on, &bytes);
  const auto source = open_trace(path);
  EXPECT_TRUE(source) << source.error().text();
  return {bytes.done, bytes.all, std::filesystem::file_size(path)};
}

/// No calls, so that its states are read again as regions.
constexpr const char* states_prv = "#Paraver (21/11/2026 at 08:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:1000:1\n";

/// One process is defined; `rest`: behind the last whole record.
std::string vampir_file(const std::string& rest) {
  constexpr char file[] =
      "\x55\xaa\xa5\x5a"
      "BPVI"
      "\x08\0\0\0\x28\0"
      "\x01\0\0\0\x01\0\0";
  return std::string(file, sizeof file) + rest;
}

TEST(OpenTrace, FilesThatAreReadWholeTellHowFarTheyAreRead) {
  const ScratchDirectory directory;
  const std::pair<const char*, std::string> traces[] = {
      {"a.trace", "mora-trace 1\nP0 0-10 work\n# a remark\nP1 5-10 work; P1 12-14 work\n"},
      {"a.alog", "-3 0 0 1 0 0\n-13 0 1 2 0 0 red:solid work\n1 0 0 0 0 10\n2 0 0 0 0 20\n"},
      {"cut.alog", "-3 0 0 1 0 0\n-13 0 1 2 0 0 red:solid work\n1 0 0 0 0 10\n2 0 0 0 0 20"},
      {"a.json", R"([{"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 0, "tid": 0}])"},
      {"a.paje",
       "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
       "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
       "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name "
       "string\n%EndEventDef\n"
       "%EventDef PajePushState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
       "%EventDef PajePopState 4\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
       "0 P 0 Process\n1 S P State\n2 0 r P 0 rank0\n3 1 S r work\n4 2 S r\n"},
      {"a.prv", paraver::sample_prv},
      {"states.prv", states_prv},
      {"a.bpv", vampir_file("")},
      {"cut.bpv", vampir_file("\x64")}};
  for (const auto& [name, content] : traces) {
    const auto [done, all, size] = bytes_of_opening(directory.write(name, content));
    EXPECT_EQ(done, all) << name;
    EXPECT_TRUE(all >= size && all % size == 0) << name << ": " << all << " of " << size;
  }
  // A second pass of a Paraver trace is known only after the first: it counts from the start, so that nothing goes
  // back.
  for (const std::string& once_or_twice : {std::string(paraver::sample_prv), std::string(states_prv)}) {
    const auto [done, all, size] = bytes_of_opening(directory.write("b.prv", once_or_twice));
    EXPECT_EQ(all, 2 * size);
  }
  const std::string packed = directory.write("packed.prv.gz", "");
  gzFile file = gzopen(packed.c_str(), "wb");
  gzputs(file, paraver::sample_prv);
  gzclose(file);
  const auto [done, all, size] = bytes_of_opening(packed);
  EXPECT_EQ(done, all);
  EXPECT_EQ(all % size, 0u);
}

TEST(OpenTrace, SaysWhatIsWrong) {
  EXPECT_NE(open_trace("/nonexistent").error().why.find("no such file"), std::string::npos);
  EXPECT_EQ(open_trace("/proc/self/status").error().why, "it is in no format that Mora knows");
  EXPECT_EQ(open_trace("/proc/self/status", "vtf3").error().kind, ErrorKind::usage);
  EXPECT_NE(open_trace("/nonexistent", "vtf3").error().why.find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace mora::trace
