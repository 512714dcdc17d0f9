#include "predict/pattern/recording/dryrun.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_directory.h"

namespace mora::predict {
namespace {

TEST(DryRun, RankListsAreAscendingAndEachRankStandsOnce) {
  EXPECT_EQ(*chosen_ranks("5,0-2,1", 6), (std::vector<std::uint32_t>{0, 1, 2, 5}));
  EXPECT_EQ(*chosen_ranks("all", 3), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(*chosen_ranks("", 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(*chosen_ranks("4095", 4096), (std::vector<std::uint32_t>{4095}));
}

TEST(DryRun, RanksBeyondTheJobAreRefused) {
  EXPECT_FALSE(chosen_ranks("3-2", 4));
  EXPECT_EQ(chosen_ranks("0-4", 4).error().why, "a job of 4 processes has ranks 0 to 3");
}

class Reports : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory + "/dryrun"); }
  void write(const std::string& text) { std::ofstream(directory + "/dryrun/1.txt") << text; }
  const ScratchDirectory scratch;
  const std::string& directory = scratch.path();
};

TEST_F(Reports, AreReadByRank) {
  write(
      "job\t64\t2\nrank\t9\ttimeout\t124\t1.5\t12\tMPI_Recv\t1\t\t-1\nrank\t3\tstopped\t86\t0.25\t7\tMPI_Send\t0\tno: "
      "more\t-1\nnote\t3\tdata are zero\nscouts\t61\n");
  const auto reports = read_dry_reports(directory);
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), 1u);
  const auto& report = reports->front();
  EXPECT_EQ(report.size, 64u);
  EXPECT_EQ(report.auxiliary_processes, 61u);
  ASSERT_EQ(report.ranks.size(), 2u);
  EXPECT_EQ(report.ranks[0].rank, 3u);
  EXPECT_EQ(report.ranks[0].text, "no: more");
  EXPECT_EQ(report.ranks[1].exit_code, 124);
  EXPECT_DOUBLE_EQ(report.ranks[1].seconds, 1.5);
  EXPECT_TRUE(report.ranks[1].inside);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].first, 3u);
  EXPECT_EQ(sentence_about(report.ranks[1], 1, nullptr),
            "rank 9 did not end within 1 s; in MPI_Recv, after 0 recorded calls");
  EXPECT_EQ(sentence_about(report.ranks[0], 1, nullptr),
            "rank 3 cannot go on: no: more; it made no MPI call that is recorded");
}

TEST_F(Reports, RanksThatWaitForEachOtherAreACircle) {
  std::string text = "job\t5\t5\n";
  const int waits_for[] = {3, 0, 4, 2, 3};
  for (int rank = 0; rank < 5; ++rank)
    text += "rank\t" + std::to_string(rank) + "\tdeadlock\t86\t1\t3\tMPI_Recv\t1\tno\t" +
            std::to_string(waits_for[rank]) + "\n";
  write(text);
  EXPECT_EQ(read_dry_reports(directory)->front().deadlock,
            "deadlock: rank 2 in MPI_Recv waits for rank 4, rank 4 in MPI_Recv waits for rank 3, rank 3 in MPI_Recv "
            "waits for rank 2");
}

TEST_F(Reports, ARankThatHasEndedIsWaitedFor) {
  write(
      "job\t3\t3\nrank\t1\tended\t0\t1\t2\tMPI_Finalize\t0\t\t-1\n"
      "rank\t0\tdeadlock\t86\t1\t3\tMPI_Recv\t1\tno\t-1\nrank\t2\tdeadlock\t86\t1\t3\tMPI_Recv\t1\tno\t1\n");
  EXPECT_EQ(read_dry_reports(directory)->front().deadlock,
            "deadlock: rank 2 in MPI_Recv waits for rank 1, which has ended");
}

TEST_F(Reports, DamagedLinesAreNamed) {
  write("job\t64\t2\nrank\t9\ttimeout\n");
  const auto reports = read_dry_reports(directory);
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().kind, ErrorKind::unreadable);
  EXPECT_NE(reports.error().where.find("1.txt:2"), std::string::npos);
}

TEST(DryRun, TheLastRecordedCallOfARankThatDidNotEndIsNamed) {
  PatternTrace trace;
  trace.definitions.world_size = 2;
  trace.definitions.communicators.resize(2);
  trace.definitions.communicators[0].name = "MPI_COMM_WORLD";
  RankTraceBuilder builder(1);
  Call call;
  call.operation = Operation::init;
  builder.add(call);
  call.operation = Operation::barrier;
  call.communicator = 0;
  builder.add(call);
  trace.ranks.push_back(builder.finish());
  DryRank rank;
  rank.rank = 1;
  rank.state = "killed";
  rank.exit_code = 139;
  const auto sentence = sentence_about(rank, 1, &trace);
  EXPECT_EQ(sentence.find("rank 1 was killed by signal 11; outside MPI, after 2 recorded calls, the last one Barrier"),
            0u)
      << sentence;
  rank.state = "ended";
  EXPECT_EQ(sentence_about(rank, 1, &trace), "");
}

TEST(DryRun, RanksThatDidNotEndWellAreNoDivergence) {
  PatternTrace trace;
  trace.definitions.world_size = 2;
  trace.definitions.origin = Origin::dryrun;
  for (std::uint32_t r = 0; r < 2; ++r) {
    RankTraceBuilder builder(r);
    Call call;
    call.operation = Operation::init;
    builder.add(call);
    trace.ranks.push_back(builder.finish());
    trace.ranks.back().complete = false;
  }
  DryRunReport report;
  report.ranks.resize(2);
  report.ranks[1].rank = 1;
  report.ranks[0].state = "timeout";
  report.ranks[1].state = "ended";
  const auto found = divergences(trace, report);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 1u);
  EXPECT_EQ(sentence_about(found[0]).find("rank 1, call 1: "), 0u);
}

}  // namespace
}  // namespace mora::predict
