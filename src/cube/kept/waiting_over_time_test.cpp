#include "cube/kept/waiting_over_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace mora::cube {
namespace {

struct OneWait {
  MetricId metric = 0;
  Nanoseconds from = 0, amount = 0;
};

std::vector<OneWait> random_waits(std::size_t count, Nanoseconds end) {
  std::mt19937_64 chance(7);
  std::vector<OneWait> waits;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<Nanoseconds>(chance() % static_cast<std::uint64_t>(end));
    const Nanoseconds longest = i % 3 == 0 ? end - from : std::min<Nanoseconds>(900, end - from);
    waits.push_back({static_cast<MetricId>(i % 4 * 5), from,
                     1 + static_cast<Nanoseconds>(chance() % static_cast<std::uint64_t>(longest))});
    waits.back().amount = std::min(waits.back().amount, end - from);
  }
  return waits;
}

WaitingOverTime filled(const std::vector<OneWait>& waits) {
  WaitingOverTime all;
  for (const OneWait& wait : waits) all.add(wait.metric, wait.from, wait.amount);
  all.finish();
  return all;
}

/// Part by part.
std::map<MetricId, std::vector<Nanoseconds>> naive(const std::vector<OneWait>& waits, Nanoseconds length) {
  std::map<MetricId, std::vector<Nanoseconds>> rows;
  for (const auto& [metric, from, amount] : waits) {
    std::vector<Nanoseconds>& parts = rows[metric];
    for (Nanoseconds at = from; at < from + amount;) {
      const Nanoseconds part = at / length, end = std::min(from + amount, (part + 1) * length);
      if (parts.size() <= static_cast<std::size_t>(part)) parts.resize(static_cast<std::size_t>(part) + 1);
      parts[static_cast<std::size_t>(part)] += end - at;
      at = end;
    }
  }
  return rows;
}

void expect_same(const WaitingOverTime& found, const std::map<MetricId, std::vector<Nanoseconds>>& expected) {
  ASSERT_EQ(found.rows().size(), expected.size());
  for (const auto& row : found.rows()) EXPECT_EQ(row.parts, expected.at(row.metric)) << row.metric;
}

TEST(WaitingOverTime, PartsAreThoseOfEverySingleWait) {
  const auto waits = random_waits(3000, 5'000'000);
  const WaitingOverTime all = filled(waits);
  EXPECT_EQ(all.length(), 2048);  // 4096 of 1024 ns do not hold 5 ms
  expect_same(all, naive(waits, all.length()));
}

TEST(WaitingOverTime, TheSameInAnyOrderAndFromAnyParts) {
  auto waits = random_waits(2000, 90'000'000);
  const std::string text = filled(waits).file_text("");
  std::reverse(waits.begin(), waits.end());
  EXPECT_EQ(filled(waits).file_text(""), text);
  WaitingOverTime sum;
  for (std::size_t i = 0; i < waits.size(); i += 333) {
    WaitingOverTime part = filled({waits.begin() + static_cast<std::ptrdiff_t>(i),
                                   waits.begin() + static_cast<std::ptrdiff_t>(std::min(waits.size(), i + 333))});
    WaitingOverTime crossed;
    ASSERT_TRUE(crossed.unpack(part.length(), part.rows().size(), part.packed()));
    sum.merge(crossed);
  }
  EXPECT_EQ(sum.file_text(""), text);
}

TEST(WaitingOverTime, GivesBackWhatItKeeps) {
  WaitingOverTime all = filled(random_waits(500, 70'000));
  all.keep({5, 15});
  const std::string text = all.file_text("findings");
  const auto read = WaitingOverTime::read(text, "file", "findings");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->length(), all.length());
  ASSERT_EQ(read->rows().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->rows()[i].metric, all.rows()[i].metric);
    EXPECT_EQ(read->rows()[i].parts, all.rows()[i].parts);
  }
  EXPECT_TRUE(WaitingOverTime::read(WaitingOverTime().file_text(""), "file", "").has_value());
}

TEST(WaitingOverTime, NoTimeIsTooLateOrTooEarly) {
  const Nanoseconds years = Nanoseconds{1} << 61;
  const WaitingOverTime all = filled({{3, -50, 60}, {3, years, 1000}});
  Nanoseconds sum = 0;
  for (const Nanoseconds part : all.rows().front().parts) sum += part;
  EXPECT_EQ(sum, 1060);
}

TEST(WaitingOverTime, RefusesWhatIsNotItsOwn) {
  const std::string text = filled(random_waits(40, 9000)).file_text("findings");
  EXPECT_FALSE(WaitingOverTime::read(text, "file", "other findings").has_value());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_FALSE(WaitingOverTime::read(flipped, "file", "findings").has_value()) << i;
    EXPECT_FALSE(WaitingOverTime::read(text.substr(0, i), "file", "findings").has_value()) << i;
  }
  WaitingOverTime hostile;
  EXPECT_FALSE(hostile.unpack(3, 0, ""));
  EXPECT_FALSE(WaitingOverTime().unpack(1, 1, std::string("\x01\x01\xff\xff\xff\x01\x01", 7)));
}

}  // namespace
}  // namespace mora::cube
