#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/data_quality.h"
#include "base/file.h"
#include "base/time.h"
#include "base/worker_pool.h"
#include "support/scratch_directory.h"

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

TEST(DataQuality, WhatIsMissingInWords) {
  EXPECT_EQ(missing_data({{"a", Severity::warning, "rank 1", 2, "calls were late", ""}}), "");
  EXPECT_EQ(missing_data({{"b", Severity::loss, "", 1, "calls are missing", ""}}), "1 x calls are missing");
  EXPECT_EQ(missing_data({{"b", Severity::loss, "rank 1", 2, "calls are missing", ""},
                          {"b", Severity::loss, "rank 3", 5, "calls are missing", ""},
                          {"c", Severity::loss, "", 1, "ranks are missing", ""}}),
            "7 x calls are missing (rank 1 and 1 more), and 1 more kind of loss");
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
TEST(File, OfManyThatAskForADirectoryAtOnceEachGetsItsOwn) {
  const ScratchDirectory scratch(ScratchDirectory::in_memory);
  ASSERT_TRUE(write_file_atomically(scratch.path("run-3"), "a file has the name, too"));
  constexpr std::size_t askers = 8, each = 25;
  std::vector<std::string> made[askers];
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < each; ++i) mine.push_back(make_numbered_directory(scratch.path("run")).value());
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::string> names;
  for (const auto& mine : made) names.insert(mine.begin(), mine.end());
  EXPECT_EQ(names.size(), askers * each);
  EXPECT_TRUE(names.contains(scratch.path("run")) && names.contains(scratch.path("run-2")));
  EXPECT_FALSE(names.contains(scratch.path("run-3")));
  const auto nowhere = make_numbered_directory(scratch.path("none/run"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().where, scratch.path("none/run"));
}

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
