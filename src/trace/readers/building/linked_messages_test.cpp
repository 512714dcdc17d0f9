#include "trace/readers/building/linked_messages.h"

#include <gtest/gtest.h>

#include <climits>
#include <map>
#include <random>
#include <string>

#include "trace/readers/building/decimal_time.h"

namespace mora::trace {
namespace {

TEST(DecimalTime, IsExact) {
  const auto seconds = [](const char* text) { return decimal_time(text, 9).value().time; };
  EXPECT_EQ(seconds("0"), 0);
  EXPECT_EQ(seconds("12"), 12'000'000'000);
  EXPECT_EQ(seconds("0.100201715"), 100'201'715);
  EXPECT_EQ(seconds("-1.5"), -1'500'000'000);
  EXPECT_EQ(seconds(".5"), 500'000'000);
  EXPECT_EQ(seconds("5."), 5'000'000'000);
  EXPECT_EQ(seconds("1e-06"), 1000);
  EXPECT_EQ(seconds("+2.5E+1"), 25'000'000'000);
  EXPECT_EQ(seconds("1234567890.123456789"), 1'234'567'890'123'456'789);
  EXPECT_EQ(seconds("000000000000000000000000000001"), 1'000'000'000);
  EXPECT_EQ(decimal_time("17.125", 3).value().time, 17'125);
}

TEST(DecimalTime, RoundsOnceToTheNearestAndSaysSo) {
  const auto check = [](const char* text, Nanoseconds time, bool rounded) {
    const auto result = decimal_time(text, 9);
    ASSERT_TRUE(result) << text;
    EXPECT_EQ(result->time, time) << text;
    EXPECT_EQ(result->rounded, rounded) << text;
  };
  check("0.0000000014", 1, true);
  check("0.0000000015", 2, true);
  check("-0.0000000015", -2, true);
  check("0.00000000149999999999999", 1, true);
  check("0.0000000010000", 1, false);
  check("0.0000000004", 0, true);
  check("0.0000000005", 1, true);
  check("5e-10", 1, true);
  check("5e-11", 0, true);
  check("9e-4000", 0, true);
}

TEST(DecimalTime, RefusesWhatIsNoTime) {
  for (const char* text : {"",
                           "-",
                           ".",
                           "e5",
                           "1e",
                           "1e+",
                           "abc",
                           "1.2.3",
                           "0x10",
                           "nan",
                           "inf",
                           "1 ",
                           " 1",
                           "--1",
                           "1e5x",
                           "9223372036.854775807",
                           "9223372036854775808",
                           "1e30",
                           "99999999999999999999999",
                           "1e99999999999"})
    EXPECT_FALSE(decimal_time(text, 9)) << text;
  EXPECT_TRUE(decimal_time("2305843009.213693952", 9));
  EXPECT_FALSE(decimal_time("2305843009.213693953", 9));
}

using Half = LinkedMessages::Half;

Half half(std::uint32_t place, bool is_send, std::int64_t order) {
  Half h;
  h.place = place;
  h.is_send = is_send;
  h.order = order;
  return h;
}

constexpr LinkedMessages::Place places[] = {{0, 0}, {1, 0}, {1, 1}};

std::vector<Half> linked(LinkedMessages& messages, CommId otherwise) {
  EXPECT_TRUE(messages.link(places, otherwise));
  std::vector<Half> halves;
  auto cursor = messages.halves();
  while (const Half* next = cursor.next()) halves.push_back(*next);
  EXPECT_FALSE(cursor.failed());
  EXPECT_EQ(halves.size(), messages.size());
  return halves;
}

TEST(LinkedMessages, PairsByKeyInOrder) {
  LinkedMessages messages;
  messages.add("a", half(0, true, 1));
  messages.add("a", half(0, true, 3));
  messages.add("b", half(1, false, 2));
  messages.add("a", half(1, false, 2));
  messages.add("a", half(2, false, 4));
  const std::vector<Half> halves = linked(messages, 7);
  EXPECT_EQ(halves.at(0).partner, 3U);
  EXPECT_EQ(halves.at(1).partner, 4U);
  EXPECT_EQ(halves.at(2).partner, no_id);
  EXPECT_EQ(halves.at(2).peer, no_id);
  EXPECT_EQ(halves.at(0).peer, 1U);
  EXPECT_EQ(halves.at(3).peer, 0U);
  EXPECT_EQ(halves.at(0).comm, 7U);
}

TEST(LinkedMessages, WhatOneHalfKnowsHoldsForBoth) {
  LinkedMessages messages;
  Half send = half(0, true, 0);
  send.has_tag = send.has_bytes = true;
  send.tag = 5;
  send.bytes = 100;
  messages.add("a", send);
  Half receive = half(1, false, 0);
  receive.comm = 3;
  messages.add("a", receive);
  const std::vector<Half> halves = linked(messages, 0);
  for (const std::uint32_t n : {0U, 1U}) {
    EXPECT_EQ(halves.at(n).tag, 5);
    EXPECT_EQ(halves.at(n).bytes, 100U);
    EXPECT_EQ(halves.at(n).comm, 3U);
  }
}

TEST(LinkedMessages, OvertakingMessagesHaveTagsOfTheirOwn) {
  for (const bool has_tag : {false, true}) {
    LinkedMessages messages;
    for (const char* key : {"a", "b"}) {
      Half send = half(0, true, 0);
      send.has_tag = has_tag;
      send.tag = has_tag ? 9 : 0;
      messages.add(key, send);
    }
    for (const char* key : {"b", "a"}) messages.add(key, half(1, false, 1));
    const std::vector<Half> halves = linked(messages, 0);
    EXPECT_EQ(halves.at(0).tag, has_tag ? 9 : 0);
    EXPECT_EQ(halves.at(1).tag, has_tag ? INT32_MIN + 1 : 1);
    EXPECT_EQ(halves.at(2).tag, halves.at(1).tag);
    EXPECT_EQ(halves.at(3).tag, halves.at(0).tag);
    EXPECT_EQ(messages.overtaking(), has_tag ? 1U : 0U);
  }
}

/// The rule of links/channel.h, done naively, must find the pairs of the keys again.
TEST(LinkedMessages, TagsAreSuchThatMpisRuleFindsTheSamePairs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    LinkedMessages messages;
    const int size = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < size; ++i) {
      const std::string key = "k" + std::to_string(random() % 30);
      Half h = half(random() % 3, random() % 2 == 0, i);
      h.comm = random() % 2;
      h.has_tag = round % 3 != 0 && random() % 2 == 0;
      h.tag = h.has_tag ? static_cast<std::int32_t>(random() % 3) : 0;
      messages.add(key, h);
    }
    const std::vector<Half> halves = linked(messages, 0);
    using Channel = std::tuple<std::uint32_t, std::uint32_t, CommId, std::int32_t>;
    using Position = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Channel, std::map<Position, std::uint32_t>> sends, receives;
    for (std::uint32_t n = 0; n < messages.size(); ++n) {
      const Half& h = halves.at(n);
      if (h.partner == no_id) continue;
      ASSERT_EQ(halves.at(h.partner).partner, n);
      const Position at{places[h.place].thread, n};
      if (h.is_send) sends[{places[h.place].rank, h.peer, h.comm, h.tag}][at] = n;
      if (!h.is_send) receives[{h.peer, places[h.place].rank, h.comm, h.tag}][at] = n;
    }
    ASSERT_EQ(sends.size(), receives.size());
    for (const auto& [channel, list] : sends) {
      const auto& others = receives[channel];
      ASSERT_EQ(list.size(), others.size());
      auto other = others.begin();
      for (const auto& [at, n] : list) EXPECT_EQ(halves.at(n).partner, (other++)->second) << "round " << round;
    }
  }
}

TEST(LinkedMessages, AreTheSameInLittleMemory) {
  std::mt19937 random(2);
  LinkedMessages in_memory, on_disk(0);
  for (int i = 0; i < 20000; ++i) {
    Half h = half(random() % 3, random() % 2 == 0, i);
    h.has_tag = random() % 2 == 0;
    h.tag = h.has_tag ? static_cast<std::int32_t>(random() % 3) : 0;
    const std::string key = std::to_string(random() % 5000);
    in_memory.add(key, h);
    on_disk.add(key, h);
  }
  const std::vector<Half> expected = linked(in_memory, 0), halves = linked(on_disk, 0);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_EQ(halves[i].number, i);
    EXPECT_EQ(halves[i].partner, expected[i].partner);
    EXPECT_EQ(halves[i].tag, expected[i].tag);
  }
  EXPECT_EQ(on_disk.overtaking(), in_memory.overtaking());
}

}  // namespace
}  // namespace mora::trace
