#include "trace/kept/kept_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "support/read_events.h"
#include "support/small_place.h"

namespace mora::trace {
namespace {

/// Any event: fields near those of the one before, at their limits, or anywhere.
Event next_event(const Event& before, std::mt19937_64& random) {
  Event e;
  if (random() % 4 != 0) e = before;
  e.kind = static_cast<EventKind>(random() % (static_cast<unsigned>(EventKind::other) + 1));
  e.time = before.time + static_cast<Nanoseconds>(random() % 100000);
  const auto change = [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    switch (random() % 8) {
      case 0:
        field = static_cast<Field>(random());
        break;
      case 1:
        field = static_cast<Field>(field + 1);
        break;
      case 2:
        field = static_cast<Field>(-1);
        break;
      case 3:
        field = 0;
        break;
      default:
        break;
    }
  };
  change(e.end_time), change(e.bytes), change(e.received), change(e.request), change(e.region), change(e.peer);
  change(e.tag), change(e.interval), change(e.comm), change(e.root), change(e.window), change(e.group);
  change(e.vector), change(e.assertion), change(e.target_offset), change(e.target_extent), change(e.file);
  e.collective = static_cast<Collective>(random() % 4);
  e.rma_operation = static_cast<RmaOperation>(random() % 4);
  e.reduction = static_cast<Reduction>(random() % 4);
  e.mended = random() % 2 != 0;
  e.epoch_closed = random() % 2 != 0;
  e.lock_exclusive = random() % 2 != 0;
  e.collective_io = random() % 2 != 0;
  return e;
}

std::vector<Event> some_events(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Event> events;
  Event last;
  last.time = INT64_MIN + 5;
  for (std::size_t i = 0; i < count; ++i) events.push_back(last = next_event(last, random));
  return events;
}

void keep(KeptEvents& kept, LocationId location, const std::vector<Event>& events, EventSink& next) {
  KeptEvents::Keeper keeper(kept, location, next);
  for (const Event& event : events) keeper.on_event(event);
  keeper.finish();
}

void expect_same(const std::vector<Event>& given, const std::vector<Event>& events) {
  ASSERT_EQ(given.size(), events.size());
  constexpr std::size_t fields = offsetof(Event, collective_io) + 1;  // padding is behind them
  for (std::size_t i = 0; i < events.size(); ++i)
    ASSERT_EQ(std::memcmp(&given[i], &events[i], fields), 0) << "event " << i;
}

void expect_given(KeptEvents& kept, LocationId location, const std::vector<Event>& events) {
  ASSERT_TRUE(kept.holds(location));
  EventCollector given;
  ASSERT_TRUE(kept.give(location, given));
  EXPECT_FALSE(kept.holds(location));
  expect_same(given.events, events);
}

TEST(KeptEvents, AllFieldsOfAllKindsComeBackFromMemoryAndFromTheFile) {
  for (const std::size_t budget : {std::size_t{1} << 30, std::size_t{1} << 18, std::size_t{0}}) {
    KeptEvents kept(3, budget);
    NullSink nobody;
    keep(kept, 2, some_events(20000, 1), nobody);
    keep(kept, 0, some_events(5, 2), nobody);
    keep(kept, 1, {}, nobody);
    expect_given(kept, 0, some_events(5, 2));
    expect_given(kept, 1, {});
    expect_given(kept, 2, some_events(20000, 1));
  }
}

TEST(KeptEvents, AreGivenAsOftenAsAskedFor) {
  for (const std::size_t budget : {std::size_t{1} << 30, std::size_t{0}}) {
    KeptEvents kept(1, budget, 3);
    const int expected = budget != 0 ? 3 : 1;  // on disk once
    NullSink nobody;
    const std::vector<Event> events = some_events(3000, 5);
    keep(kept, 0, events, nobody);
    for (int readings = 0; readings < expected; ++readings) {
      ASSERT_TRUE(kept.holds(0));
      EventCollector given;
      ASSERT_TRUE(kept.give(0, given));
      expect_same(given.events, events);
    }
    EXPECT_FALSE(kept.holds(0));
  }
}

TEST(KeptEvents, TheReaderGetsTheKindsThatItWants) {
  class Leaves : public EventCollector {
   public:
    std::uint64_t kinds() const override { return kind_bit(EventKind::leave); }
  } leaves;
  const std::vector<Event> events = some_events(1000, 3);
  KeptEvents kept(1, 1 << 20);
  keep(kept, 0, events, leaves);
  const auto wanted =
      std::count_if(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::leave; });
  EXPECT_EQ(leaves.events.size(), static_cast<std::size_t>(wanted));
  expect_given(kept, 0, events);
}

TEST(KeptEvents, CallsTakeFewBytes) {
  LastEvents last;
  std::array<std::byte, 4 * LastEvents::most_bytes> bytes;
  std::byte* at = bytes.data();
  Event event;
  for (const EventKind kind : {EventKind::enter, EventKind::send, EventKind::leave}) {
    event.kind = kind;
    event.time += 700;
    event.region = kind == EventKind::send ? no_id : 12;
    event.peer = kind == EventKind::send ? 3 : no_id;
    at = last.pack(event, at);
    event = {.time = event.time};
  }
  EXPECT_EQ(at - bytes.data(), 20);
  event = {.time = event.time + 700, .region = 12, .kind = EventKind::enter};
  EXPECT_EQ(last.pack(event, at) - at, 4);  // as the one before
}

TEST(KeptEvents, WhatFindsNoRoomIsNotKept) {
  const char* const before = std::getenv("TMPDIR");
  const std::string usual = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/dev/null/none", 1);
  KeptEvents kept(2, 1 << 16);
  EventCollector next;
  const std::vector<Event> events = some_events(20000, 4);
  keep(kept, 0, events, next);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", usual.c_str(), 1);
  EXPECT_FALSE(kept.holds(0));
  EXPECT_EQ(next.events.size(), events.size());
}

TEST(KeptEvents, NothingStaysOnADiskThatIsTooSmall) {
  const SmallPlace place("32m");
  if (!place.is_mounted) GTEST_SKIP() << "no right to mount";
  KeptEvents kept(4, 1 << 16);
  NullSink nobody;
  const std::vector<Event> few = some_events(100, 6), some = some_events(8000, 7), many = some_events(60000, 8);
  KeptEvents::Keeper unfinished(kept, 3, nobody);
  for (const Event& event : some) unfinished.on_event(event);
  keep(kept, 0, some, nobody);
  ASSERT_TRUE(kept.holds(0));
  ASSERT_LT(place.free(), 32U << 20);
  keep(kept, 1, many, nobody);
  EXPECT_EQ(place.free(), 32U << 20);
  unfinished.finish();
  keep(kept, 2, some, nobody);
  for (const LocationId location : {0U, 1U, 2U, 3U}) EXPECT_FALSE(kept.holds(location)) << location;
  EXPECT_EQ(place.free(), 32U << 20);
}

TEST(KeptEvents, WhatWasGivenLeavesTheDisk) {
  const SmallPlace place("64m");
  if (!place.is_mounted) GTEST_SKIP() << "no right to mount";
  KeptEvents kept(2, 0, 2);
  NullSink nobody;
  const std::vector<Event> events = some_events(8000, 9);
  for (const LocationId location : {0U, 1U}) keep(kept, location, events, nobody);
  const std::uint64_t free = place.free(), taken = (64U << 20) - free;
  const auto give = [&](LocationId location) {
    EventCollector given;
    ASSERT_TRUE(kept.give(location, given));
    expect_same(given.events, events);
  };
  give(0);
  EXPECT_GT(place.free(), free + taken / 3);
  give(1);
  EXPECT_EQ(place.free(), 64U << 20);
}

}  // namespace
}  // namespace mora::trace
