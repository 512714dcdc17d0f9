// Directories of text traces: which files, what is missing, damage; and the pattern trace that they make.
#include <algorithm>

#include "base/file.h"
#include "predict/pattern/text/calls.h"
#include "predict/pattern/text/files.h"
#include "predict/pattern/text/text_trace.h"
#include "support/pattern/quality_rows.h"
#include "support/pattern/text_traces.h"

namespace mora::predict {
namespace {

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
  const TextTraceDirectory d;
  for (const int rank : {10, 2, 0, 1}) d.put(fmt::format("ti_trace{}.txt", rank), fmt::format("{} finalize\n", rank));
  d.put("ti_trace02.txt", "2 finalize\n");
  d.put("notes.txt", "hello");
  d.put("out7.txt", "x");
  std::filesystem::create_directory(d.path() + "/parserOutput");
  const auto found = find_text_files(d.path());
  ASSERT_TRUE(found);
  std::vector<std::uint32_t> ranks;
  for (const auto& file : found->files) ranks.push_back(file.rank);
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 10}));
  EXPECT_EQ(found->world_size, 11U);
  EXPECT_EQ(quality_count(found->quality, "pattern-rank-missing"), 7U);
  EXPECT_NE(quality_text(found->quality, "pattern-rank-missing").find("3, 4, 5, 6, 7, …"), std::string::npos);
  EXPECT_EQ(quality_count(found->quality, "pattern-other-file"), 3U);
  EXPECT_NE(quality_text(found->quality, "pattern-other-file").find("notes.txt, out7.txt, ti_trace2.txt"),
            std::string::npos)
      << quality_text(found->quality, "pattern-other-file");
}

TEST(TextFiles, OtherNamesThanMinIs) {
  const TextTraceDirectory d;
  d.put("app.0.txt", "0 finalize\n");
  d.put("app.1.txt", "1 finalize\n");
  d.put("x3.txt", "");
  const auto found = find_text_files(d.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.size(), 2U);
  const TextTraceDirectory empty;
  EXPECT_FALSE(find_text_files(empty.path()));
  EXPECT_FALSE(find_text_files("/nonexistent"));
}

TEST(ReadText, APatternTrace) {
  const TextTraceDirectory d;
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
  const TextTraceDirectory d, copy;
  write_program(d);
  const auto trace = read_text_traces(d.path());
  ASSERT_TRUE(trace);
  ASSERT_TRUE(write_text_traces(*trace, copy.path()));
  for (int p = 0; p < 4; ++p) {
    const std::string name = fmt::format("/ti_trace{}.txt", p);
    EXPECT_EQ(*read_file(copy.path() + name), *read_file(d.path() + name));
  }
}

TEST(ReadText, SidesOfAnInterCommunicator) {
  const TextTraceDirectory d;
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
  const TextTraceDirectory d;
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
