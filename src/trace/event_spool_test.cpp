#include "trace/event_spool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "support/read_events.h"
#include "support/scratch_directory.h"

namespace mora::trace {
namespace {

/// The i-th event of a stream: all kinds, all fields of those that keep them.
Event event_number(std::uint32_t stream, std::uint64_t i) {
  Event e;
  e.kind = static_cast<EventKind>((i + stream) % (static_cast<std::uint64_t>(EventKind::other) + 1));
  e.time = static_cast<Nanoseconds>(i * 10 + stream);
  e.region = static_cast<RegionId>(i % 7);
  e.mended = e.kind == EventKind::leave && i % 3 == 0;
  if (e.kind == EventKind::enter || e.kind == EventKind::leave) return e;
  e.end_time = e.time + 5;
  e.bytes = i * i;
  e.received = i + 1;
  e.request = ~i;
  e.peer = stream + 1;
  e.tag = -static_cast<std::int32_t>(i % 1000);
  e.comm = 2;
  e.root = 3;
  e.window = 4;
  e.group = 5;
  e.vector = 6;
  e.assertion = 7;
  e.file = 8;
  e.collective = Collective::bcast;
  e.rma_operation = RmaOperation::put;
  e.epoch_closed = true;
  e.lock_exclusive = true;
  return e;
}

bool same(const Event& a, const Event& b) {
  return a.kind == b.kind && a.time == b.time && a.region == b.region && a.mended == b.mended &&
         a.end_time == b.end_time && a.bytes == b.bytes && a.received == b.received && a.request == b.request &&
         a.peer == b.peer && a.tag == b.tag && a.comm == b.comm && a.root == b.root && a.window == b.window &&
         a.group == b.group && a.vector == b.vector && a.assertion == b.assertion && a.file == b.file &&
         a.collective == b.collective && a.rma_operation == b.rma_operation && a.epoch_closed == b.epoch_closed &&
         a.lock_exclusive == b.lock_exclusive;
}

void fill(EventSpool& spool, std::uint32_t streams, std::uint64_t events) {
  while (spool.streams() < streams) spool.add_stream();
  for (std::uint64_t i = 0; i < events; ++i) {
    for (std::uint32_t s = 0; s < streams; ++s) {
      if (i % (s + 1) == 0) spool.append(s, event_number(s, i));  // streams of different lengths
    }
  }
}

void expect_filled(const EventSpool& spool, std::uint32_t streams, std::uint64_t events) {
  for (std::uint32_t s = 0; s < streams; ++s) {
    EventCollector keep;
    ASSERT_TRUE(spool.read(s, keep).has_value());
    ASSERT_EQ(keep.events.size(), (events + s) / (s + 1));
    ASSERT_EQ(keep.events.size(), spool.size(s));
    for (std::uint64_t n = 0; n < keep.events.size(); ++n)
      ASSERT_TRUE(same(keep.events[n], event_number(s, n * (s + 1)))) << "stream " << s << " event " << n;
  }
}

TEST(EventSpool, SmallTracesStayInMemory) {
  EventSpool spool;
  fill(spool, 3, 1000);
  EXPECT_EQ(spool.bytes_on_disk(), 0u);
  expect_filled(spool, 3, 1000);
}

TEST(EventSpool, BeyondTheBudgetEventsGoToTheFileAndComeBackInOrder) {
  EventSpool spool({.budget = 100000, .directory = {}});
  fill(spool, 5, 20000);
  EXPECT_GT(spool.bytes_on_disk(), 1000000u);
  EXPECT_LE(spool.bytes_in_memory(), 100000u);
  expect_filled(spool, 5, 20000);
}

TEST(EventSpool, KeepsToTheMemoryOfItsProcess) {
  const SpoolMemory memory(std::uint64_t{32} << 20);
  EventSpool spool;
  fill(spool, 3, 100000);
  EXPECT_LE(spool.bytes_in_memory(), std::size_t{2} << 20);
  EXPECT_GT(spool.bytes_on_disk(), std::size_t{8} << 20);
  {
    const SpoolMemory not_limited(0);
    EXPECT_EQ(SpoolMemory::budget(), std::size_t{2} << 20);
    const SpoolMemory tiny(1);
    EXPECT_EQ(SpoolMemory::budget(), std::size_t{1} << 20);
  }
  EXPECT_EQ(EventSpoolOptions().budget, std::size_t{2} << 20);
}

TEST(EventSpool, ManyShortStreamsCostLittle) {
  EventSpool spool;
  for (int i = 0; i < 100000; ++i) {
    spool.append(spool.add_stream(), event_number(0, 0));
  }
  EXPECT_LE(spool.bytes_in_memory(), 100000u * 256);
}

TEST(EventSpool, ABudgetOfNothingStillWorks) {
  EventSpool spool({.budget = 0, .directory = {}});
  fill(spool, 2, 100);
  expect_filled(spool, 2, 100);
}

TEST(EventSpool, SeveralThreadsReadAtOnce) {
  EventSpool spool({.budget = 50000, .directory = {}});
  fill(spool, 4, 20000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { expect_filled(spool, 4, 20000); });
  for (std::thread& t : threads) t.join();
}

TEST(EventSpool, ItsFileHasNoName) {
  const ScratchDirectory directory;
  EventSpool spool({.budget = 1000, .directory = directory.path()});
  fill(spool, 1, 1000);
  EXPECT_GT(spool.bytes_on_disk(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(EventSpool, ADirectoryThatCannotBeWrittenIsAnError) {
  EventSpool spool({.budget = 1000, .directory = "/nonexistent-directory"});
  fill(spool, 1, 1000);
  ASSERT_TRUE(spool.failure().has_value());
  EXPECT_EQ(spool.failure()->kind, ErrorKind::system);
  EXPECT_EQ(spool.failure()->where, "/nonexistent-directory");
  EventCollector keep;
  EXPECT_FALSE(spool.read(0, keep).has_value());
}

TEST(EventSpool, MovesWithWhatItHolds) {
  EventSpool spool({.budget = 10000, .directory = {}});
  fill(spool, 2, 1000);
  EventSpool other(std::move(spool));
  expect_filled(other, 2, 1000);
  EventSpool third;
  third = std::move(other);
  expect_filled(third, 2, 1000);
}

}  // namespace
}  // namespace mora::trace
