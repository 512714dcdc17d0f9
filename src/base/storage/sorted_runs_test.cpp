#include "base/storage/sorted_runs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <tuple>

namespace mora {
namespace {

struct Keyed {
  std::uint64_t key, number;
  bool operator==(const Keyed&) const = default;
};
struct ByKeyAndNumber {
  bool operator()(const Keyed& a, const Keyed& b) const {
    return std::tie(a.key, a.number) < std::tie(b.key, b.number);
  }
};

TEST(SortedRuns, AreSortedWhateverTheBudget) {
  std::mt19937 random(1);
  for (const std::size_t records : {0U, 1U, 1023U, 1024U, 1025U, 5000U, 30000U}) {
    for (const std::size_t budget : {std::size_t{0}, std::size_t{40} << 10, std::size_t{64} << 20}) {
      SortedRuns<Keyed, ByKeyAndNumber> runs(budget);
      std::vector<Keyed> expected;
      for (std::uint64_t i = 0; i < records; ++i) {
        expected.push_back({random() % 100, i});
        runs.add(expected.back());
      }
      runs.sort();
      EXPECT_FALSE(runs.failure());
      EXPECT_EQ(runs.bytes_on_disk() > 0, records * sizeof(Keyed) > std::max<std::size_t>(budget, 16 << 10));
      std::sort(expected.begin(), expected.end(), ByKeyAndNumber());
      for (int twice = 0; twice < 2; ++twice) {
        auto cursor = runs.cursor();
        for (const Keyed& wanted : expected) {
          const Keyed* next = cursor.next();
          ASSERT_NE(next, nullptr);
          ASSERT_EQ(*next, wanted);
        }
        EXPECT_EQ(cursor.next(), nullptr);
        EXPECT_FALSE(cursor.failed());
      }
      runs.clear();
      EXPECT_EQ(runs.cursor().next(), nullptr);
    }
  }
}

TEST(SortedRuns, NoPlaceIsAFailure) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/no/such/place", 1);
  SortedRuns<Keyed, ByKeyAndNumber> runs(0);
  for (std::uint64_t i = 0; i < 5000; ++i) runs.add({i, i});
  ASSERT_TRUE(runs.failure());
  EXPECT_NE(runs.failure()->text().find("/no/such/place"), std::string::npos);
  if (before == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace mora
