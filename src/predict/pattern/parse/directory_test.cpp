// Parsing directories of text traces: damage, missing ranks, outputs; the same as parsing the pattern trace that they
// make.
#include <sys/resource.h>

#include "base/file.h"
#include "predict/pattern/parse/source.h"
#include "predict/pattern/text/text_trace.h"
#include "support/pattern/lines_source.h"
#include "support/pattern/text_traces.h"

namespace mora::predict {
namespace {

using Files = std::map<std::string, std::string>;

TEST(ParseDirectory, BadLinesAreNamedAndTheRestIsRead) {
  const TextTraceDirectory d;
  d.put("ti_trace0.txt",
        "0 init 1\n0 sned 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n0 send 1 9223372036854775807 (of 4 bytes) 1 on "
        "comm MPI_COMM_WORLD\n"
        "0 send 1 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n0 finalize\n");
  d.put("ti_trace1.txt", "5 recv 0 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n1 fina");
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(files.at("global.txt"), "(0 1 4 contig MPI_COMM_WORLD)\n");
  EXPECT_EQ(quality_count(result->quality, "pattern-bad-line"), 3U);
  EXPECT_NE(quality_text(result->quality, "pattern-bad-line").find("ti_trace0.txt:2:3: expected an operation"),
            std::string::npos)
      << quality_text(result->quality, "pattern-bad-line");
  EXPECT_NE(quality_text(result->quality, "pattern-bad-line").find("ti_trace1.txt:2:3: expected"), std::string::npos);
  EXPECT_EQ(quality_count(result->quality, "pattern-cut-file"), 1U);
  EXPECT_EQ(quality_count(result->quality, "pattern-foreign-record"), 1U);
  EXPECT_EQ(quality_count(result->quality, "pattern-no-finalize"), 1U);
}

TEST(ParseDirectory, AFileWithoutLineFeedsIsNoHang) {
  const TextTraceDirectory d;
  d.put("ti_trace0.txt", std::string(3 << 20, 'x'));
  d.put("ti_trace1.txt", "1 finalize\n");
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(quality_count(result->quality, "pattern-bad-line"), 1U);
}

// With missing ranks a collective is whole when all that are there have come.
TEST(ParseDirectory, MissingRanks) {
  const TextTraceDirectory d;
  for (const int p : {0, 1, 3})
    d.put(fmt::format("ti_trace{}.txt", p),
          fmt::format("{0} Comm split. color={1}, key=0.New comm mini_comm_0_{1} of size 2\n{0} allReduce 1 (of 4 "
                      "bytes) of type 1 on comm mini_comm_0_{1} 1\n"
                      "{0} allReduce 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\n{0} finalize\n",
                      p, p % 2));
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(sorted_lines(files.at("global.txt")),
            (std::vector<std::string>{"(allReduce 4 contig mini_comm_0_0)", "(allReduce 4 contig mini_comm_0_1)",
                                      "(allReduce 8 contig MPI_COMM_WORLD)"}));
  EXPECT_EQ(result->world_size, 4U);
  EXPECT_EQ(quality_count(result->quality, "pattern-rank-missing"), 1U);
  EXPECT_EQ(quality_count(result->quality, "pattern-incomplete-collective"), 0U);
}

// 8.2.10: more files than descriptors.
TEST(ParseDirectory, MoreFilesThanDescriptors) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{64, before.rlim_max};
  const TextTraceDirectory d;
  constexpr int count = 2000;
  for (int p = 0; p < count; ++p)
    d.put(fmt::format("ti_trace{}.txt", p),
          fmt::format("{0} send {1} 1 (of 4 bytes) 1 on comm MPI_COMM_WORLD\n{0} recv {2} 1 (of 4 bytes) 1 on comm "
                      "MPI_COMM_WORLD\n{0} finalize\n",
                      p, (p + 1) % count, (p + count - 1) % count));
  setrlimit(RLIMIT_NOFILE, &few);
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  const auto trace = read_text_traces(d.path());
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->records_written, 2000U);
  EXPECT_TRUE(files.at("global.txt").starts_with("(0 1 4 contig MPI_COMM_WORLD)\n(1 2 4 "));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->ranks.size(), 2000U);
}

TEST(ParseDirectory, TheOutputReplacesOnlyAnOutput) {
  const TextTraceDirectory d;
  d.put("ti_trace0.txt", "Phase a start.\nPhase a end.\nPhase b start.\nPhase b end.\n0 finalize\n");
  const std::string out = d.path() + "/parserOutput";
  ASSERT_TRUE(parse_pattern(d.path(), out, {}));
  EXPECT_TRUE(std::filesystem::exists(out + "/b.txt"));
  d.put("ti_trace0.txt", "Phase a start.\nPhase a end.\n0 finalize\n");
  ASSERT_TRUE(parse_pattern(d.path(), out, {}));
  EXPECT_FALSE(std::filesystem::exists(out + "/b.txt"));
  EXPECT_EQ(*read_file(out + "/a.txt"), "Coming from global.txt\nReturning to global.txt\n");
  const auto refused = parse_pattern(d.path(), d.path(), {});  // would be among the traces
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(*read_file(d.path() + "/ti_trace0.txt"), "Phase a start.\nPhase a end.\n0 finalize\n");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(d.path())) ++entries;
  EXPECT_EQ(entries, 2U);  // no temporary directory is left
}

// The parser's two inputs give the same output.
TEST(ParseDirectory, ParsingTheTraceIsParsingItsText) {
  const TextTraceDirectory d;
  write_program(d);
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->quality.empty());
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  const auto source = pattern_step_source(std::make_shared<const PatternTrace>(*trace));
  const auto parsed = parse_lines(*source);
  EXPECT_EQ(parsed.files, files);
  EXPECT_EQ(parsed.result.records_read, result->records_read);
  EXPECT_EQ(files.at("communicators.txt"),
            "MPI_COMM_WORLD {'members': [0, 1, 2, 3], 'size': 4}\nmini_comm_0_0 {'members': ['2', '0'], 'size': "
            "2}\nmini_comm_0_1 {'members': ['3', '1'], 'size': 2}\n");
}

// A dry run has some ranks only, an OTF2 trace has no records of how communicators were made: the definitions know the
// members.
TEST(ParseDirectory, SomeRanksOfATraceThatKnowsItsCommunicators) {
  const TextTraceDirectory d;
  for (int p = 0; p < 4; ++p)
    d.put(fmt::format("ti_trace{}.txt", p),
          fmt::format("{0} Comm split. color={1}, key={2}.New comm mini_comm_0_{1} of size 2\n{0} allReduce 1 (of 4 "
                      "bytes) of type 1 on comm mini_comm_0_{1} 1\n"
                      "{0} allReduce 2 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD 1\n{0} finalize\n",
                      p, p % 2, -p));
  auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  trace->ranks.erase(trace->ranks.begin() + 3);  // rank 3
  auto parsed = parse_lines(*pattern_step_source(std::make_shared<const PatternTrace>(*trace)));
  EXPECT_EQ(sorted_lines(parsed.files.at("global.txt")),
            (std::vector<std::string>{"(allReduce 4 contig mini_comm_0_0)", "(allReduce 4 contig mini_comm_0_1)",
                                      "(allReduce 8 contig MPI_COMM_WORLD)"}));
  const std::string communicators =
      "MPI_COMM_WORLD {'members': [0, 1, 2, 3], 'size': 4}\nmini_comm_0_0 {'members': ['2', '0'], 'size': "
      "2}\nmini_comm_0_1 {'members': ['3', '1'], 'size': 2}\n";
  EXPECT_EQ(parsed.files.at("communicators.txt"), communicators);
  for (auto& rank : trace->ranks)
    for (auto& call : rank.calls)
      if (call.operation == Operation::comm_split) call.operation = Operation::init;
  parsed = parse_lines(*pattern_step_source(std::make_shared<const PatternTrace>(*trace)));
  EXPECT_EQ(parsed.files.at("communicators.txt"), communicators);
  EXPECT_EQ(parsed.result.records_written, 3U);
}

}  // namespace
}  // namespace mora::predict
