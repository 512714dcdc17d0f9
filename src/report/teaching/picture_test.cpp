#include "report/teaching/picture.h"

#include <gtest/gtest.h>

#include <sstream>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "trace/readers/text/text_source.h"

namespace mora::report {
namespace {

Picture picture_of_text(const std::string& body, const char* metric) {
  const auto source = trace::read_trace_text("mora-trace 1\n" + body);
  EXPECT_TRUE(source) << source.error().text();
  analysis::AnalyzeOptions options;
  options.workers = options.partitions = 1;
  const auto result = analysis::analyze(**source, "text", options);
  EXPECT_TRUE(result);
  auto picture = picture_of(**source, *result, analysis::metric_index(metric));
  EXPECT_TRUE(picture);
  return std::move(*picture);
}

const char* const late_sender =
    "P0 0 ENTER main; 16-20 MPI_Send to 1; 30 EXIT\n"
    "P1 0 ENTER main; 10-20 MPI_Recv from 0; 30 EXIT\n";

TEST(Picture, HoldsCallsWaitsAndArrows) {
  const Picture picture = picture_of_text(late_sender, "late-sender");
  ASSERT_EQ(picture.rows.size(), 2u);
  EXPECT_EQ(picture.rows[1].name, "rank 1");
  ASSERT_EQ(picture.rows[1].calls.size(), 2u);
  EXPECT_FALSE(picture.rows[1].calls[0].is_filled);
  EXPECT_EQ(picture.rows[1].calls[0].name, "");  // main says nothing
  EXPECT_EQ(picture.rows[1].calls[1].name, "MPI_Recv");
  ASSERT_EQ(picture.rows[1].waits.size(), 1u);
  EXPECT_EQ(picture.rows[1].waits[0], (std::pair<Nanoseconds, Nanoseconds>{10, 16}));
  EXPECT_EQ(picture.arrows, std::vector<std::string>{"message, rank 0 to rank 1"});
  EXPECT_EQ(picture.waits,
            std::vector<std::string>{"rank 1 waits in MPI_Recv from 10 to 16: 6 ns, for rank 0 in MPI_Send"});
  EXPECT_EQ(picture.total, 6);
}

TEST(Picture, IsDrawnToScale) {
  const std::string text = draw(picture_of_text(late_sender, "late-sender"), {80, true, false});
  EXPECT_EQ(text,
            "ns      0         5         10        15        20        25        30\n"
            "        +---------+---------+---------+---------+---------+---------+\n"
            "                                        MPI_Send\n"
            "rank 0  --------------------------------########--------------------\n"
            "                                        ^ 1>\n"
            "                            MPI_Recv\n"
            "rank 1  --------------------::::::::::::########--------------------\n"
            "                                                >1\n"
            "\n"
            ":: waiting   ## in a call   -- computing   ^ waited for until here\n"
            "1> message, rank 0 to rank 1\n"
            "rank 1 waits in MPI_Recv from 10 to 16: 6 ns, for rank 0 in MPI_Send\n");
}

TEST(Picture, LongTracesAreSqueezedAndStillFit) {
  const Picture picture = picture_of_text(
      "P0 0 ENTER main; 1600000-2000000 MPI_Send to 1; 3000000 EXIT\n"
      "P1 0 ENTER main; 1000000-2000000 MPI_Recv from 0; 3000000 EXIT\n",
      "late-sender");
  std::istringstream lines(draw(picture, {80, true, false}));
  std::string waiting;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u);
    if (line.starts_with("rank 1  ")) waiting = line;
  }
  // 68 columns for 3 000 000 ns: 22 computing, then waiting until column 36.
  EXPECT_EQ(waiting.substr(0, 54),
            "rank 1  " + std::string(22, '-') + std::string(14, ':') + std::string(9, '#') + "-");
}

TEST(Picture, ArrowsOfEpochsAndTransfers) {
  const Picture picture = picture_of_text(
      "P0 0 ENTER main; 8-21 MPI_Win_start w0 group 1; 22-24 MPI_Put w0 to 1; 25-28 MPI_Win_complete w0; 32 EXIT\n"
      "P1 0 ENTER main; 20-22 MPI_Win_post w0 group 0; 26-30 MPI_Win_wait w0; 32 EXIT\n",
      "wait-at-fence");
  EXPECT_EQ(picture.arrows, (std::vector<std::string>{"post, rank 1 to rank 0", "put, rank 0 to rank 1",
                                                      "complete, rank 0 to rank 1"}));
  EXPECT_TRUE(picture.waits.empty());
}

TEST(Picture, ColoursAreOnlyThereWhenAskedFor) {
  const Picture picture = picture_of_text(late_sender, "late-sender");
  EXPECT_EQ(draw(picture, {80, false, false}).find('\033'), std::string::npos);
  EXPECT_NE(draw(picture, {80, false, true}).find("\033[31m"), std::string::npos);
}

}  // namespace
}  // namespace mora::report
