/// Every byte of a small text trace and of a small trace.mpt, changed or cut off: never a crash or a hang, nothing lost
/// in silence. ctest -L fault.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>

#include "base/file.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/parse/engine.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/parse/source.h"
#include "predict/pattern/text/text_trace.h"
#include "support/fault_stride.h"
#include "support/scratch_directory.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

/// Four ranks with a record of every shape.
std::string program(int p) {
  const int right = (p + 1) % 4, left = (p + 3) % 4, color = p % 2, local = p / 2;
  std::string text =
      fmt::format("{0} init 1\n{0} Comm split. color={1}, key={0}.New comm mini_comm_0_{1} of size 2\n", p, color);
  for (int i = 1; i <= 2; ++i) {
    text += fmt::format(
        "Phase step start.\n{0} Irecv {1} 10 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Isend {2} 10 (of 8 bytes) 0 on "
        "comm MPI_COMM_WORLD\n{0} waitall\n",
        p, left, right);
    text += fmt::format(
        "{0} Sendrecv(s) {1} 2 (of 40 bytes) 100 on comm MPI_COMM_WORLD\n{0} Sendrecv(r) {2} 2 (of 40 bytes) 100 on "
        "comm MPI_COMM_WORLD\n",
        p, right, left);
    text += fmt::format(
        "Phase inner start.\n{} alltoAllv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD "
        "{}\nPhase inner end.\n",
        p, i);
    text += fmt::format("{} allGather 2 (of 4 bytes) of types 1, 6 8 (of 1 bytes) on comm mini_comm_0_{} {}\n", p,
                        color, i);
    text += fmt::format("{} bcast 3 (of 12 bytes) 1 of type 101 on comm mini_comm_0_{} {}\n", p, color, local);
    text += fmt::format(
        "{0} Put {1} 4 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Win_fence on comm MPI_COMM_WORLD\nTested 1.\nPhase "
        "step end.\n",
        p, right);
  }
  return text + fmt::format("Comm mini_comm_0_{} free.\n{} finalize\n", color, p);
}

class PatternDamage : public testing::Test {
 protected:
  void SetUp() override {
    alarm(500);  // a hang ends here
    for (int p = 0; p < 4; ++p) put(fmt::format("ti_trace{}.txt", p), program(p));
  }
  void TearDown() override { alarm(0); }
  std::string path(const std::string& name) const { return scratch_.path(name); }
  void put(const std::string& name, std::string_view content) const { scratch_.write(name, content); }

  /// Parses the directory of text traces and makes a pattern trace of it.
  void read_text(bool must_be_told) {
    Files files;
    const auto parsed = parse_pattern(directory_, files, {.workers = 1});
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_FALSE(must_be_told && parsed->quality.empty());
    const auto trace = read_text_traces(directory_);
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_FALSE(must_be_told && trace->quality.empty());
    parse(*trace);
  }

  static void parse(const PatternTrace& trace) {
    const auto source = pattern_step_source(std::make_shared<const PatternTrace>(trace));
    Files files;
    MemorySink sink(files);
    ParseResult result;
    ParseFiles out(sink, ParseForm::records);
    ASSERT_TRUE(parse_steps(*source, out, {.workers = 1}, result, {}));
    ASSERT_TRUE(out.finish());
  }

  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
};

TEST_F(PatternDamage, NothingIsWrongBefore) {
  Files files;
  const auto parsed = parse_pattern(directory_, files, {});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->quality.empty());
  EXPECT_EQ(parsed->violation_count, 0U);
}

TEST_F(PatternDamage, EveryByteOfATextTraceChanged) {
  const std::string whole = program(1);
  for (std::size_t i = 0; i < whole.size(); i += fault_stride()) {
    for (const int mask : {0x01, 0x10, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      put("ti_trace1.txt", damaged);
      read_text(false);
      if (HasFatalFailure()) FAIL() << "byte " << i << " mask " << mask;
    }
  }
}

TEST_F(PatternDamage, ATextTraceCutAnywhere) {
  const std::string whole = program(1);
  for (std::size_t i = 0; i < whole.size(); i += fault_stride()) {
    put("ti_trace1.txt", std::string_view(whole).substr(0, i));
    read_text(true);
    if (HasFailure()) FAIL() << "cut at byte " << i;
  }
}

TEST_F(PatternDamage, EveryByteOfAnArchiveChangedOrCut) {
  auto trace = read_text_traces(directory_);
  ASSERT_TRUE(trace);
  trace->quality = {};
  const std::string archive = path("trace.mpt");
  ASSERT_TRUE(write_archive(*trace, archive));
  const std::string whole = *read_file(archive);
  const std::string copy = path("copy.mpt");
  const auto check = [&](std::string_view damaged) {
    put("trace.mpt", damaged);
    const auto read = read_archive(archive);
    if (!read) {
      EXPECT_FALSE(read.error().what.empty());
      return;
    }
    parse(*read);
    if (!read->quality.empty()) return;
    // Bytes that mean nothing: the trace is what it was.
    ASSERT_TRUE(write_archive(*read, copy));
    EXPECT_EQ(*read_file(copy), whole) << "damage was not noticed";
  };
  for (std::size_t i = 0; i < whole.size(); i += fault_stride()) {
    for (const int mask : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      check(damaged);
      if (HasFailure()) FAIL() << "byte " << i << " of " << whole.size() << " mask " << mask;
    }
    check(std::string_view(whole).substr(0, i));
    if (HasFailure()) FAIL() << "cut at byte " << i << " of " << whole.size();
  }
}

}  // namespace
}  // namespace mora::predict
