// Directories of text traces: which files, what is missing, damage; and the pattern trace that they make.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "predict/pattern/parse_source.h"
#include "predict/pattern/parse_test_source.h"
#include "predict/pattern/read_text_calls.h"
#include "predict/pattern/read_text_files.h"
#include "predict/pattern/text_trace.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "mora-text-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

using Files = std::map<std::string, std::string>;

std::string what(const DataQuality& quality, const std::string& kind) {
  for (const auto& row : quality.rows())
    if (row.kind == kind) return row.what;
  return {};
}

const Call& call_of(const RankTrace& rank, Operation operation) {
  const auto at =
      std::find_if(rank.calls.begin(), rank.calls.end(), [&](const Call& call) { return call.operation == operation; });
  EXPECT_NE(at, rank.calls.end());
  return *at;
}

TEST(FitCounts, KeepsLeastMedianAndGreatest) {
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(fit_counts(4, 1, 5, 4), (Counts{1, 2, 3, 4}));
  EXPECT_EQ(fit_counts(5, 0, 8, 100), (Counts{0, 2, 4, 52, 100}));
  EXPECT_EQ(fit_counts(2, 1, 5, 4), (Counts{1, 4}));
  EXPECT_EQ(fit_counts(1, 3, 6, 3), (Counts{3}));
  EXPECT_EQ(fit_counts(3, 7, 14, 7), (Counts{7, 7, 7}));
  EXPECT_TRUE(fit_counts(0, 1, 2, 1).empty());
  for (std::uint64_t n = 3; n < 20; ++n) {
    const auto counts = fit_counts(n, 2, 31, 90);  // median 15.5: of an odd number of counts it cannot be
    EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
    EXPECT_EQ(counts.front(), 2U);
    EXPECT_EQ(counts.back(), 90U);
    if (n % 2 != 0) continue;
    EXPECT_EQ(counts[n / 2 - 1] + counts[n / 2], 31U);
  }
}

TEST(TextFiles, NumericOrderMissingRanksAndOtherFiles) {
  const Directory d;
  for (const int rank : {10, 2, 0, 1}) d.put(fmt::format("ti_trace{}.txt", rank), fmt::format("{} finalize\n", rank));
  d.put("ti_trace02.txt", "2 finalize\n");
  d.put("notes.txt", "hello");
  d.put("out7.txt", "x");
  fs::create_directory(d.path() + "/parserOutput");
  const auto found = find_text_files(d.path());
  ASSERT_TRUE(found);
  std::vector<std::uint32_t> ranks;
  for (const auto& file : found->files) ranks.push_back(file.rank);
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 10}));
  EXPECT_EQ(found->world_size, 11U);
  EXPECT_EQ(quality_count(found->quality, "pattern-rank-missing"), 7U);
  EXPECT_NE(what(found->quality, "pattern-rank-missing").find("3, 4, 5, 6, 7, …"), std::string::npos);
  EXPECT_EQ(quality_count(found->quality, "pattern-other-file"), 3U);
  EXPECT_NE(what(found->quality, "pattern-other-file").find("notes.txt, out7.txt, ti_trace2.txt"), std::string::npos)
      << what(found->quality, "pattern-other-file");
}

TEST(TextFiles, OtherNamesThanMinIs) {
  const Directory d;
  d.put("app.0.txt", "0 finalize\n");
  d.put("app.1.txt", "1 finalize\n");
  d.put("x3.txt", "");
  const auto found = find_text_files(d.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.size(), 2U);
  const Directory empty;
  EXPECT_FALSE(find_text_files(empty.path()));
  EXPECT_FALSE(find_text_files("/nonexistent"));
}

TEST(ParseDirectory, BadLinesAreNamedAndTheRestIsRead) {
  const Directory d;
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
  EXPECT_NE(what(result->quality, "pattern-bad-line").find("ti_trace0.txt:2:3: expected an operation"),
            std::string::npos)
      << what(result->quality, "pattern-bad-line");
  EXPECT_NE(what(result->quality, "pattern-bad-line").find("ti_trace1.txt:2:3: expected"), std::string::npos);
  EXPECT_EQ(quality_count(result->quality, "pattern-cut-file"), 1U);
  EXPECT_EQ(quality_count(result->quality, "pattern-foreign-record"), 1U);
  EXPECT_EQ(quality_count(result->quality, "pattern-no-finalize"), 1U);
}

TEST(ParseDirectory, AFileWithoutLineFeedsIsNoHang) {
  const Directory d;
  d.put("ti_trace0.txt", std::string(3 << 20, 'x'));
  d.put("ti_trace1.txt", "1 finalize\n");
  Files files;
  const auto result = parse_pattern(d.path(), files, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(quality_count(result->quality, "pattern-bad-line"), 1U);
}

// With missing ranks a collective is whole when all that are there have come.
TEST(ParseDirectory, MissingRanks) {
  const Directory d;
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
  const Directory d;
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
  const Directory d;
  d.put("ti_trace0.txt", "Phase a start.\nPhase a end.\nPhase b start.\nPhase b end.\n0 finalize\n");
  const std::string out = d.path() + "/parserOutput";
  ASSERT_TRUE(parse_pattern(d.path(), out, {}));
  EXPECT_TRUE(fs::exists(out + "/b.txt"));
  d.put("ti_trace0.txt", "Phase a start.\nPhase a end.\n0 finalize\n");
  ASSERT_TRUE(parse_pattern(d.path(), out, {}));
  EXPECT_FALSE(fs::exists(out + "/b.txt"));
  EXPECT_EQ(*read_file(out + "/a.txt"), "Coming from global.txt\nReturning to global.txt\n");
  const auto refused = parse_pattern(d.path(), d.path(), {});  // would be among the traces
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(*read_file(d.path() + "/ti_trace0.txt"), "Phase a start.\nPhase a end.\n0 finalize\n");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(d.path())) ++entries;
  EXPECT_EQ(entries, 2U);  // no temporary directory is left
}

/// A program with most shapes of records, on four ranks.
void write_program(const Directory& d) {
  for (int p = 0; p < 4; ++p) {
    const int right = (p + 1) % 4, left = (p + 3) % 4, color = p % 2, key = -p, local = p < 2 ? 1 : 0;
    std::string text = fmt::format("{} init 1\n{} Comm split. color={}, key={}.New comm mini_comm_0_{} of size 2\n", p,
                                   p, color, key, color);
    for (int i = 1; i <= 5; ++i) {
      text += fmt::format(
          "Phase step start.\n{0} Irecv {1} 10 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Isend {2} 10 (of 8 bytes) 0 "
          "on comm MPI_COMM_WORLD\n{0} waitall\n",
          p, left, right);
      text += fmt::format(
          "{0} Sendrecv(s) {1} 2 (of 40 bytes) 100 on comm MPI_COMM_WORLD\n{0} Sendrecv(r) {2} 2 (of 40 bytes) 100 on "
          "comm MPI_COMM_WORLD\n",
          p, right, left);
      text += fmt::format("{} allReduce 1 (of 4 bytes) of type 1 on comm mini_comm_0_{} {}\n", p, color, 3 * i - 2);
      text += fmt::format("{} alltoAllv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD {}\n",
                          p, i);
      text += fmt::format("{} allGather 2 (of 4 bytes) of types 1, 6 8 (of 1 bytes) on comm mini_comm_0_{} {}\n", p,
                          color, 3 * i - 1);
      text += fmt::format("{} bcast 3 (of 12 bytes) 1 of type 101 on comm mini_comm_0_{} {}\n", p, color, local);
      text +=
          fmt::format("{} reduceScatter min=1 median=2.000000 max=3 (of 4 bytes) of type 1 on comm mini_comm_0_{} {}\n",
                      p, color, 3 * i);
      text += fmt::format(
          "{} Put {} 4 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{} Win_fence on comm MPI_COMM_WORLD\n{} barrier on comm "
          "MPI_COMM_WORLD\n",
          p, right, p, p);
      text += "Phase step end.\n";
    }
    text += fmt::format("Comm mini_comm_0_{} free.\n{} finalize\n", color, p);
    d.put(fmt::format("ti_trace{}.txt", p), text);
  }
}

TEST(ReadText, APatternTrace) {
  const Directory d;
  write_program(d);
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  const auto& definitions = trace->definitions;
  EXPECT_EQ(definitions.world_size, 4U);
  EXPECT_EQ(definitions.origin, Origin::text);
  ASSERT_EQ(definitions.communicators.size(), 4U);
  EXPECT_EQ(definitions.communicators[0].members, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(definitions.communicators[2].name, "mini_comm_0_0");
  EXPECT_EQ(definitions.communicators[2].members, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(definitions.communicators[3].members, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(definitions.communicators[3].color, 1);
  EXPECT_EQ(definitions.communicators[3].event, 0U);
  EXPECT_EQ(definitions.communicators[2].made_by, Operation::comm_split);
  EXPECT_EQ(definitions.phases, (std::vector<std::string>{"step"}));
  EXPECT_FALSE(definitions.exact_vectors);
  EXPECT_EQ(quality_count(trace->quality, "pattern-fitted-vectors"), 4 * 5 * 2U);
  ASSERT_EQ(trace->ranks.size(), 4U);
  const auto& rank = trace->ranks[1];
  EXPECT_TRUE(rank.complete);
  EXPECT_EQ(rank.order.size(), 3 + 5 * 14 + 1U);
  const auto& exchange = call_of(rank, Operation::sendrecv);
  EXPECT_EQ(exchange.peer, 2);
  EXPECT_EQ(exchange.peer2, 0);
  EXPECT_EQ(bytes_of(exchange.sent, definitions), 80U);
  EXPECT_EQ(exchange.bytes_received, 80U);
  EXPECT_TRUE(definitions.datatypes[exchange.sent.type].contiguous);
  EXPECT_EQ(definitions.datatypes[exchange.sent.type].code, 100);
  const auto& all = call_of(rank, Operation::alltoallv);
  EXPECT_EQ(rank.vectors[all.sent_vector], (std::vector<std::uint64_t>{4, 8, 12, 16}));
  EXPECT_EQ(bytes_of(all.sent, definitions), 40U);
  const auto& bcast = call_of(rank, Operation::bcast);
  EXPECT_EQ(bcast.communicator, 3U);
  EXPECT_EQ(bcast.peer, 1);
  EXPECT_EQ(bytes_of(bcast.sent, definitions), 36U);  // rank 1 is local 1: the root
  EXPECT_FALSE(definitions.datatypes[bcast.sent.type].contiguous);
  EXPECT_LT(call_of(trace->ranks[3], Operation::bcast).sent.count, 0);
  EXPECT_EQ(bytes_of(call_of(trace->ranks[3], Operation::bcast).received, definitions), 36U);
  const auto& gather = call_of(rank, Operation::allgather);
  EXPECT_EQ(bytes_of(gather.sent, definitions), 8U);
  EXPECT_EQ(bytes_of(gather.received, definitions), 8U);
  EXPECT_EQ(definitions.windows.size(), 1U);
  EXPECT_EQ(call_of(rank, Operation::put).argument, 0U);
  EXPECT_EQ(call_of(rank, Operation::phase_begin).argument, 0U);
}

TEST(ReadText, BackToTheSameText) {
  const Directory d, copy;
  write_program(d);
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  ASSERT_TRUE(write_text_traces(*trace, copy.path()));
  for (int p = 0; p < 4; ++p) {
    const std::string name = fmt::format("/ti_trace{}.txt", p);
    EXPECT_EQ(*read_file(copy.path() + name), *read_file(d.path() + name));
  }
}

// The parser's two inputs give the same output.
TEST(ReadText, ParsingTheTraceIsParsingItsText) {
  const Directory d;
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
TEST(ReadText, SomeRanksOfATraceThatKnowsItsCommunicators) {
  const Directory d;
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

TEST(ReadText, SidesOfAnInterCommunicator) {
  const Directory d;
  for (int p = 0; p < 4; ++p)
    d.put(fmt::format("ti_trace{}.txt", p),
          fmt::format("{} Comm Intercomm_create. color={}, key={}.New comm inter of size 4\n{} finalize\n", p, p % 2,
                      p / 2, p));
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->definitions.communicators[2].members, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(trace->definitions.communicators[2].remote, (std::vector<std::uint32_t>{1, 3}));
}

TEST(ReadText, NamesThatStandForSeveralAndUnknownOnes) {
  const Directory d;
  for (int p = 0; p < 4; ++p)
    d.put(fmt::format("ti_trace{}.txt", p),
          fmt::format("{0} Comm split. color=0, key=0.New comm mini_comm_1_0 of size 2\n{0} allReduce 1 (of 4 bytes) "
                      "of type 1 on comm dup{1} 1\n{0} finalize\n",
                      p, p % 2));
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  EXPECT_EQ(quality_count(trace->quality, "pattern-shared-name"), 1U);
  EXPECT_EQ(quality_count(trace->quality, "pattern-unknown-communicator"), 4U);
  EXPECT_EQ(trace->definitions.communicators[3].members, (std::vector<std::uint32_t>{0, 2}));
}

}  // namespace
}  // namespace mora::predict
