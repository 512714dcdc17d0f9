#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "base/data_quality.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/shares.h"
#include "base/time.h"
#include "base/worker_pool.h"

namespace mora {
namespace {

TEST(Time, SecondsAreExact) {
  EXPECT_EQ(seconds_exact(0), "0");
  EXPECT_EQ(seconds_exact(1), "0.000000001");
  EXPECT_EQ(seconds_exact(1'500'000'000), "1.5");
  EXPECT_EQ(seconds_exact(-2'000'000'001), "-2.000000001");
  EXPECT_EQ(seconds_exact(INT64_MIN), "-9223372036.854775808");
}

TEST(Time, NonZeroNeverLooksLikeZero) {
  EXPECT_EQ(percent_for_people(1, 1'000'000'000), "<0.01 %");
  EXPECT_EQ(time_for_people(1), "1 ns");
}

TEST(Shares, SumIsTheAmountAndTiesGoToTheSmallerIndex) {
  EXPECT_EQ(exact_shares(10, {1, 1, 1}), (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(exact_shares(7, {0, 0}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(exact_shares(INT64_MAX, {INT64_MAX, 1}), (std::vector<std::int64_t>{INT64_MAX - 1, 1}));
}

TEST(DataQuality, EqualRowsAddUpAndStaySorted) {
  DataQuality quality;
  quality.add("b", Severity::warning, "rank 1", 2, "", "");
  quality.add("a", Severity::loss, "", 1, "", "");
  quality.add("b", Severity::warning, "rank 1", 3, "", "");
  quality.add("c", Severity::info, "", 0, "", "");
  const auto rows = quality.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind, "a");
  EXPECT_EQ(rows[1].count, 5u);
}

TEST(JsonWriter, NestsAndQuotes) {
  JsonWriter w;
  w.begin_object().key("a").begin_line_array().integer(1).seconds(1'500'000'000).end_array();
  w.key("b\n").string("x\"\xFF").key("e").begin_object().end_object().end_object();
  EXPECT_EQ(w.str(), "{\n  \"a\": [1, 1.5],\n  \"b\\n\": \"x\\\"\xEF\xBF\xBD\",\n  \"e\": {}\n}");
}

TEST(Workers, EveryTaskRunsOnceAndExceptionsArrive) {
  std::vector<std::atomic<int>> runs(1000);
  run_tasks(1000, 4, [&](std::size_t i) { ++runs[i]; });
  for (auto& r : runs) EXPECT_EQ(r, 1);
  EXPECT_THROW(run_tasks(8, 2,
                         [](std::size_t i) {
                           if (i == 3) throw 1;
                         }),
               int);
}

TEST(File, MissingFileSaysWhere) {
  const auto result = read_file("/does/not/exist");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "/does/not/exist");
  EXPECT_EQ(exit_code(result.error().kind), 3);
}

// mora report -o /dev/full once replaced the device by a file.
TEST(File, DevicesAreWrittenToNotReplaced) {
  ASSERT_TRUE(write_file_atomically("/dev/null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = write_file_atomically("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(exit_code(full.error().kind), 3);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace mora
