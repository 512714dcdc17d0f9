// Against a map that does the same.
#include "replay/waiting/numbered_windows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace mora::replay {
namespace {

struct Value {
  std::uint64_t is = 0;
  bool is_live = false;
};

class Compared {
 public:
  explicit Compared(std::uint32_t count) : windows_(count) {}
  NumberedWindows<Value>& windows() { return windows_; }

  void set(std::uint32_t window, std::uint32_t number, std::uint64_t to) {
    windows_.at(window, number).is = to;
    map_[{window, number}] = to;
  }
  void erase(std::uint32_t window, std::uint32_t number) {
    windows_.erase(window, number);
    map_.erase({window, number});
  }
  bool has(std::uint32_t window, std::uint32_t number) const { return map_.count({window, number}) != 0; }
  void expect_same(std::uint32_t window, std::uint32_t number) {
    const Value* const found = windows_.find(window, number);
    const auto expected = map_.find({window, number});
    ASSERT_EQ(found != nullptr, expected != map_.end()) << window << " " << number;
    ASSERT_EQ(found == nullptr ? 0 : found->is, found == nullptr ? 0 : expected->second) << window << " " << number;
  }
  void expect_all() {
    for (const auto& [key, value] : map_) expect_same(key.first, key.second);
  }
  void erase_all() {
    while (!map_.empty()) erase(map_.begin()->first.first, map_.begin()->first.second);
  }

 private:
  NumberedWindows<Value> windows_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> map_;
};

/// Numbers come about in ascending order, those of the other end before or behind it, and go in any order.
TEST(NumberedWindows, KeepWhatAMapKeeps) {
  for (const std::uint32_t spread : {1U, 3U, 50U, 3000U, 9000U}) {
    std::mt19937 random(spread);
    Compared all(3);
    const std::uint32_t dense = all.windows().add(true);
    for (std::uint32_t step = 0; step < 40'000; ++step) {
      const std::uint32_t window = random() % 4 == 3 ? dense : random() % 3;
      const std::uint32_t number = step / 4 + random() % spread;
      if (random() % 5 < 2) {
        all.set(window, number, step);
      } else if (all.has(window, number)) {
        all.erase(window, number);
      }
      all.expect_same(window, number);
      if (step % 2'000 == 0) all.expect_all();
      if (HasFatalFailure()) return;
    }
    all.expect_all();
    all.erase_all();
    for (std::uint32_t number = 0; number < 20'000; ++number) all.expect_same(number % 4, number);
  }
}

/// One that is never taken does not make the others' window grow with the numbers.
TEST(NumberedWindows, OneThatStaysIsFoundAfterAllOthers) {
  Compared all(1);
  all.set(0, 7, 1);
  for (std::uint32_t number = 8; number < 100'000; ++number) {
    all.set(0, number, number);
    all.expect_same(0, number);
    all.erase(0, number);
    all.expect_same(0, number);
  }
  all.expect_same(0, 7);
  all.set(0, UINT32_MAX, 2);
  all.expect_all();
}

TEST(NumberedWindows, ASequenceThatStillHasValuesIsNotUsedAgain) {
  for (const bool is_far : {false, true}) {
    Compared all(1);
    const std::uint32_t first = all.windows().add(false);
    all.set(first, 5, 1);
    if (is_far) {
      all.set(first, 100'000, 2);
      all.erase(first, 5);
    }
    EXPECT_EQ(all.windows().count(), 1U);
    all.windows().remove(first);
    const std::uint32_t second = all.windows().add(false);
    EXPECT_NE(second, first);
    all.expect_same(second, 5);
    EXPECT_EQ(all.windows().in_use(), 3U);
    all.erase_all();
    EXPECT_EQ(all.windows().count(), 0U);
  }
}

TEST(NumberedWindows, ASequenceThatWasGivenBackIsUsedAgain) {
  Compared all(2);
  const std::uint32_t first = all.windows().add(true);
  all.set(first, 100'000, 1);
  all.set(first, 0, 2);
  all.expect_all();
  all.erase_all();
  all.windows().remove(first);
  EXPECT_EQ(all.windows().add(false), first);
  all.expect_same(first, 100'000);
  all.set(first, 5, 3);
  all.expect_all();
}

}  // namespace
}  // namespace mora::replay
