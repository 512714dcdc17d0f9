#include "analysis/storage/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/storage/chunked.h"
#include "analysis/storage/packed.h"
#include "analysis/storage/packed_times.h"
#include "analysis/storage/sorted_by.h"
#include "base/sanitized.h"

namespace mora::analysis {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

constexpr std::uint64_t most = (has_shadow_memory ? 4096 : 130) * mebibyte;

std::uint64_t resident() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t size = 0, pages = 0;
  status >> size >> pages;
  return pages * 4096;
}

TEST(Storage, WithoutOneEverythingIsOnTheHeap) {
  EXPECT_EQ(Storage::current(), nullptr);
  SpillVector<int> numbers(100000, 7);
  EXPECT_EQ(numbers[99999], 7);
}

TEST(Storage, DroppedPagesComeBack) {
  const std::uint64_t before = resident();
  Storage storage(before + 130 * mebibyte);
  const StorageScope scope(&storage);
  Chunked<std::uint64_t> numbers;
  constexpr std::uint64_t count = 40 * mebibyte;  // 320 MiB
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers.push_back(i * i);
    if (i % mebibyte == 0) {
      EXPECT_LT(resident(), before + most);
    }
  }
  EXPECT_GE(storage.bytes_on_disk(), count * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(numbers[i], i * i);
    if (i % mebibyte == 0) storage.trim();
  }
  EXPECT_LT(resident(), before + most);
}

TEST(Storage, MemoryGivenBackIsUsedAgain) {
  Storage storage(64 * mebibyte);
  const StorageScope scope(&storage);
  for (int round = 0; round < 100; ++round) SpillVector<char> small(mebibyte, 'x');
  EXPECT_LE(storage.bytes_on_disk(), 32 * mebibyte);
  const std::uint64_t end = storage.bytes_on_disk();
  for (int round = 0; round < 3; ++round) SpillVector<char> large(40 * mebibyte, 'x');
  EXPECT_EQ(storage.bytes_on_disk(), end + 3 * (40 * mebibyte + 4096)) << "a large block has a piece of its own";
}

TEST(Storage, VectorsKeepTheirContentWhileTheyGrow) {
  Storage storage(64 * mebibyte);
  auto vector = std::make_unique<SpillVector<std::uint32_t>>();
  {
    const StorageScope scope(&storage);
    for (std::uint32_t i = 0; i < 3000000; ++i) vector->push_back(i);
  }
  for (std::uint32_t i = 0; i < 3000000; ++i) ASSERT_EQ((*vector)[i], i);
  vector.reset();  // outside the scope
  EXPECT_TRUE(storage.check());
}

TEST(Storage, AnUnusableDirectoryIsAnErrorAndTheHeapHelps) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  Storage storage(64 * mebibyte);
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  const StorageScope scope(&storage);
  Chunked<int> numbers;
  for (int i = 0; i < 5000; ++i) numbers.push_back(i);
  EXPECT_EQ(numbers[4999], 4999);
  const auto checked = storage.check();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::system);
  EXPECT_EQ(checked.error().where, "/nowhere/at/all");
  EXPECT_NE(checked.error().help.find("TMPDIR"), std::string::npos);
}

TEST(Storage, SeveralElementsAreAppendedWhereverChunksEnd) {
  for (const std::size_t count : {0U, 1U, 3U, 16U, 17U, 1000U, 1024U, 2500U}) {
    Chunked<std::size_t> numbers;
    for (int round = 0; round < 7; ++round) {
      std::vector<std::size_t> more(count);
      std::iota(more.begin(), more.end(), numbers.size());
      numbers.append(more.data(), more.size());
      numbers.push_back(numbers.size());
    }
    ASSERT_EQ(numbers.size(), 7 * (count + 1));
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i) << count;
  }
}

TEST(Storage, MovedChunksBelongToTheirNewOwner) {
  Storage storage(64 * mebibyte);
  const StorageScope scope(&storage);
  Chunked<int> from;
  for (int i = 0; i < 5000; ++i) from.push_back(i);
  Chunked<int> to = std::move(from);
  EXPECT_EQ(to.size(), 5000U);
  EXPECT_EQ(to[4999], 4999);
  to = Chunked<int>();
  EXPECT_TRUE(to.empty());
}

TEST(MergeRuns, MergesAFewRunsAndKeepsTheOrderOfEqualOnes) {
  using Element = std::pair<int, std::size_t>;  // number, place
  const auto before = [](const Element& a, const Element& b) { return a.first < b.first; };
  for (std::size_t runs = 1; runs <= 20; ++runs) {
    SpillVector<Element> elements;
    for (std::size_t run = 0; run < runs; ++run) {
      for (std::size_t i = 0; i <= run % 5; ++i) elements.emplace_back(static_cast<int>(i), elements.size());
    }
    SpillVector<Element> expected = elements;
    std::stable_sort(expected.begin(), expected.end(), before);
    if (merge_runs(elements, before)) {
      EXPECT_EQ(elements, expected) << runs;
    } else {
      EXPECT_GT(runs, 16U);
    }
  }
}

TEST(SortBy, SortsByNumbersWithAndWithoutSignAndKeepsTheOrderOfEqualOnes) {
  struct Element {
    std::int64_t time = 0;
    std::uint32_t who = 0;
    std::size_t place = 0;
  };
  std::uint64_t state = 1;
  const auto random = [&] { return (state = state * 6364136223846793005U + 1442695040888963407U) >> 33; };
  for (const std::size_t count : {0U, 1U, 7U, 255U, 256U, 5000U}) {
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{300}, std::int64_t{1} << 33}) {
      SpillVector<Element> elements;
      for (std::size_t i = 0; i < count; ++i) {
        const auto time = static_cast<std::int64_t>(random() % 40) - 20;
        elements.push_back({time * step, static_cast<std::uint32_t>(random() % 3) * 70000U, i});
      }
      SpillVector<Element> expected = elements;
      std::stable_sort(expected.begin(), expected.end(), [](const Element& a, const Element& b) {
        return a.time != b.time ? a.time < b.time : a.who < b.who;
      });
      sort_by(
          elements, [](const Element& e) { return e.time; }, [](const Element& e) { return e.who; });
      ASSERT_EQ(elements.size(), expected.size());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(elements[i].place, expected[i].place) << count << ' ' << i;
    }
  }
}

TEST(PackedTimes, ComeBackWhateverTheyAre) {
  constexpr Nanoseconds second = 1'000'000'000;
  std::vector<Nanoseconds> times;
  for (std::size_t i = 0; i < 5000; ++i) {
    const auto n = static_cast<Nanoseconds>(i);
    const bool is_far = i / 64 % 3 == 1;  // some blocks are narrow, some wide from their first or a later time on
    times.push_back(is_far && i % 5 == i / 64 % 5 ? (n % 2 == 0 ? n : -n) * second : n * 1000);
  }
  times.insert(times.end(), {INT64_MAX, INT64_MIN, 0, INT64_MIN, INT64_MAX, -1, 1});
  PackedTimes packed;
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(packed.size(), i);
    packed.push_back(times[i]);
  }
  for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(packed[i], times[i]) << i;
}

TEST(Packed, TheFirstNumbersTakeLittleAndMoveUnseen) {
  for (std::uint64_t count = 1; count < 40000; count = count * 5 / 4 + 1) {
    Packed packed;
    std::vector<Packed::Place> places;
    for (std::uint64_t i = 0; i < count; ++i) {
      places.push_back(packed.end());
      packed.put(i, UINT64_MAX - i);
      if (i % 3 == 0) packed.put(i);
    }
    Packed::Reader in(packed);
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(in.take<2>(), (std::array<std::uint64_t, 2>{i, UINT64_MAX - i})) << count;
      if (i % 3 == 0) {
        ASSERT_EQ(in.take<1>()[0], i) << count;
      }
      ASSERT_EQ(Packed::Reader(packed, places[i]).take<2>()[0], i) << count;
    }
  }
}

TEST(Packed, NumbersComeBackInOrderAndFromTheirPlaces) {
  std::vector<std::uint64_t> numbers;  // around each size, in runs that fill pieces to different places
  for (unsigned bits = 0; bits < 64; ++bits)
    for (const std::uint64_t less : {0, 1}) numbers.push_back((std::uint64_t{1} << bits) - less);
  numbers.push_back(UINT64_MAX);
  Packed packed;
  std::vector<Packed::Place> places;
  constexpr std::size_t records = 100000;
  const auto number = [&](std::size_t i) { return numbers[i * 7 % numbers.size()]; };
  for (std::size_t i = 0; i < records; ++i) {
    places.push_back(packed.end());
    packed.put(i, number(i), number(i + 1));
  }
  Packed::Reader in(packed);
  for (std::size_t i = 0; i < records; ++i) {
    ASSERT_EQ(in.take<3>(), (std::array<std::uint64_t, 3>{i, number(i), number(i + 1)}));
    const std::size_t other = i * 31 % records;
    ASSERT_EQ(Packed::Reader(packed, places[other]).take<3>()[1], number(other));
  }
}

TEST(Packed, SmallNumbersAreShort) {
  Packed packed;
  packed.put(0, (1 << 15) - 1);
  EXPECT_EQ(packed.end(), 4U);
  packed.put(1 << 15, (1 << 30) - 1);
  EXPECT_EQ(packed.end(), 12U);
  packed.put(1 << 30, folded(-3));
  EXPECT_EQ(packed.end(), 24U);
}

TEST(Packed, FoldedNumbersAreSmallNearZero) {
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{5}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(unfolded(folded(number)), number);
  EXPECT_LT(folded(-3), 8U);
}

}  // namespace
}  // namespace mora::analysis
