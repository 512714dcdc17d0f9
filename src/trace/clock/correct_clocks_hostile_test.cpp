// The correction on traces that no program leaves, and on clocks whose true time is known.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/read_events.h"
#include "support/trace/random_trace.h"
#include "trace/clock/correct_clocks.h"

namespace mora::trace {
namespace {

std::unique_ptr<MemorySource> ranks(std::uint32_t n) {
  auto t = std::make_unique<MemorySource>();
  t->defs.world_size = n;
  Communicator world;
  for (std::uint32_t r = 0; r < n; ++r) {
    Location l;
    l.name = "rank " + std::to_string(r);
    l.rank = l.node = r;
    t->defs.locations.push_back(l);
    t->defs.nodes.push_back({"n"});
    world.members.push_back(r);
  }
  t->defs.communicators.push_back(world);
  Region call;
  call.name = "MPI_Send";
  call.kind = RegionKind::mpi;
  t->defs.regions.push_back(call);
  t->defs.index_ranks();
  t->events.resize(n);
  return t;
}

void put(MemorySource& t, std::uint32_t rank, Nanoseconds time, EventKind kind, std::uint32_t peer) {
  Event e;
  e.time = time;
  e.kind = kind;
  e.peer = peer;
  e.comm = 0;
  e.region = 0;
  t.events[rank].push_back(e);
}

ClockCorrection correct(std::unique_ptr<MemorySource> trace, ClockOptions options = {}) {
  auto done = correct_clocks(std::move(trace), options);
  EXPECT_TRUE(done);
  return std::move(*done);
}

TEST(ClockDamage, CircleIsGivenUpAtItsEarliestEvent) {
  auto t = ranks(2);  // each receives what the other sends afterwards
  put(*t, 0, 50, EventKind::receive, 1);
  put(*t, 0, 60, EventKind::send, 1);
  put(*t, 1, 10, EventKind::receive, 0);
  put(*t, 1, 20, EventKind::send, 0);
  const auto c = correct(std::move(t));
  EXPECT_EQ(c.report->circular, 1U);
  EXPECT_EQ(c.report->after.total().violated(), 1U);
  EXPECT_EQ(read_events(*c.source, 1)[0].time, 10);
  EXPECT_EQ(read_events(*c.source, 1)[1].time, 20);
  EXPECT_EQ(read_events(*c.source, 0)[0].time, 3020);
  EXPECT_EQ(read_events(*c.source, 0)[1].time, 3030);
  const auto rows = c.source->quality().rows();
  EXPECT_TRUE(
      std::any_of(rows.begin(), rows.end(), [](const QualityRow& r) { return r.kind == "clock-uncorrectable"; }));
}

TEST(ClockDamage, CircleAtEqualTimes) {
  auto t = ranks(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    put(*t, r, 7, EventKind::receive, (r + 1) % 3);
    put(*t, r, 7, EventKind::send, (r + 2) % 3);
  }
  ClockOptions options;
  options.mode = ClockMode::always;
  const auto c = correct(std::move(t), options);
  EXPECT_EQ(c.report->circular, 1U);
  EXPECT_EQ(read_events(*c.source, 0)[0].time, 7);  // the lowest rank
  EXPECT_EQ(read_events(*c.source, 2)[0].time, 3007);
  EXPECT_EQ(read_events(*c.source, 1)[0].time, 6007);
}

TEST(ClockDamage, UnmatchedAndSurplusEndsOrderNothing) {
  auto t = ranks(2);
  put(*t, 0, 9000, EventKind::send, 1);
  put(*t, 1, 10, EventKind::receive, 0);
  put(*t, 1, 20, EventKind::receive, 0);
  put(*t, 1, 30, EventKind::receive, 77);  // there is no such rank
  put(*t, 1, 40, EventKind::send, no_id);
  const auto c = correct(std::move(t));
  EXPECT_EQ(c.report->before.total().edges, 1U);
  EXPECT_EQ(c.report->unused, 2U);
  EXPECT_EQ(read_events(*c.source, 1)[0].time, 12000);
  EXPECT_EQ(read_events(*c.source, 1)[1].time, 12010);
}

TEST(ClockDamage, TimesAtTheEndOfTheirRange) {
  for (const Nanoseconds last :
       {std::int64_t{1} << 61, std::int64_t{1} << 62, (std::int64_t{1} << 62) + 1, INT64_MAX - 1, INT64_MAX}) {
    for (const std::uint32_t window : {0U, 100U, UINT32_MAX}) {
      auto t = ranks(3);
      put(*t, 0, 0, EventKind::send, 2);
      put(*t, 0, last, EventKind::send, 1);
      put(*t, 1, 0, EventKind::receive, 0);
      put(*t, 1, 1, EventKind::send, 2);
      put(*t, 1, 2, EventKind::send, 2);
      put(*t, 2, 0, EventKind::receive, 0);
      put(*t, 2, 1, EventKind::receive, 1);
      put(*t, 2, last, EventKind::receive, 1);
      ClockOptions options;
      options.window = window;
      const auto c = correct(std::move(t), options);
      for (std::uint32_t r = 0; r < 3; ++r) {
        const auto events = read_events(*c.source, r);
        for (std::size_t i = 1; i < events.size(); ++i) EXPECT_GE(events[i].time, events[i - 1].time);
      }
      clock_report_text(*c.report, c.source->definitions());
      clock_report_json(*c.report, c.source->definitions());
    }
  }
}

TEST(ClockDamage, EmptyTraces) {
  EXPECT_FALSE(correct(ranks(0)).report->corrected);
  EXPECT_FALSE(correct(ranks(2)).report->corrected);
}

TEST(ClockDamage, HalfTheSpeedIsTheLeast) {
  ClockOptions options;
  options.loss_numerator = 2;
  options.loss_denominator = 3;
  EXPECT_FALSE(correct_clocks(ranks(2), options));
}

TEST(ClockDrift, CorrectedTimesAreTrueToTheLatency) {
  // Rank 1 runs 100 ppm slow. Messages take 10 us; one each way every millisecond, for a second.
  auto t = ranks(2);
  std::vector<Nanoseconds> truth;
  const auto slow = [](Nanoseconds true_time) { return true_time - true_time / 10000; };
  for (Nanoseconds now = 1000000; now < 1000000000; now += 1000000) {
    put(*t, 0, now, EventKind::send, 1);
    put(*t, 1, slow(now + 10000), EventKind::receive, 0);
    put(*t, 1, slow(now + 500000), EventKind::send, 0);
    put(*t, 0, now + 510000, EventKind::receive, 1);
    truth.push_back(now + 10000);
    truth.push_back(now + 500000);
  }
  const auto c = correct(std::move(t));
  EXPECT_GT(c.report->before.total().reversed, 800U);
  EXPECT_EQ(c.report->after.total().violated(), 0U);
  EXPECT_LE(c.report->largest_shift, 100000);
  EXPECT_EQ(c.report->locations[0].jumps, 0U);
  const auto events = read_events(*c.source, 1);
  Nanoseconds worst = 0;
  for (std::size_t i = 0; i < events.size(); ++i) worst = std::max(worst, std::abs(events[i].time - truth[i]));
  EXPECT_LE(worst, 7000 + 100);  // the latency that was not assumed, and what drifts in a millisecond
  EXPECT_LT(c.report->largest_slope.ratio(), 1.011);
}

TEST(ClockDrift, ShiftingAllClocksShiftsTheCorrection) {
  for (std::uint64_t seed = 1; seed < 150; ++seed) {
    naive::RandomTraceOptions what;
    what.seed = seed;
    auto trace = naive::random_trace(what);
    trace->defs.nodes.assign(4, {"n"});
    for (Location& l : trace->defs.locations) l.node = l.rank;
    auto moved = std::make_unique<MemorySource>(*trace);
    for (auto& stream : moved->events) {
      for (Event& e : stream) e.time += 123456789;
    }
    ClockOptions options;
    options.mode = ClockMode::always;
    const std::size_t n = trace->defs.locations.size();
    const auto a = correct(std::move(trace), options);
    const auto b = correct(std::move(moved), options);
    for (std::uint32_t l = 0; l < n; ++l) {
      const auto x = read_events(*a.source, l), y = read_events(*b.source, l);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i].time + 123456789, y[i].time) << "seed " << seed;
    }
  }
}

TEST(ClockDrift, OneClockShiftedIsPutRight) {
  // Whatever constant a rank's clock is off by, nothing arrives early afterwards, and the number of workers is no
  // matter.
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    naive::RandomTraceOptions what;
    what.seed = seed;
    what.damage = false;
    std::vector<std::vector<Event>> first;
    for (const unsigned workers : {1U, 3U}) {
      auto trace = naive::random_trace(what);
      trace->defs.nodes.assign(4, {"n"});
      for (Location& l : trace->defs.locations) l.node = l.rank;
      for (std::size_t l = 0; l < trace->events.size(); ++l) {
        for (Event& e : trace->events[l]) e.time += trace->defs.locations[l].rank == 1 ? 50000 : 0;
      }
      ClockOptions options;
      options.workers = workers;
      options.memory = workers == 1 ? std::size_t{1} << 20 : 0;  // 0: all on disk
      const std::size_t n = trace->defs.locations.size();
      const auto c = correct(std::move(trace), options);
      if (c.report->corrected && c.report->circular == 0) {
        EXPECT_EQ(c.report->after.total().violated(), 0U) << "seed " << seed;
      }
      for (std::uint32_t l = 0; l < n; ++l) {
        const auto events = read_events(*c.source, l);
        if (workers == 1) {
          first.push_back(events);
          continue;
        }
        ASSERT_EQ(events.size(), first[l].size());
        for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].time, first[l][i].time);
      }
    }
  }
}

}  // namespace
}  // namespace mora::trace
