#include "trace/readers/building/trace_builder.h"

#include <gtest/gtest.h>

#include "support/processor_time.h"
#include "support/read_events.h"
#include "trace/mpi_function.h"

namespace mora::trace {
namespace {

std::uint64_t count_of(Source& source, const std::string& kind) {
  std::uint64_t count = 0;
  for (const QualityRow& row : source.quality().rows()) count += row.kind == kind ? row.count : 0;
  return count;
}

/// "+main@0 -main@5", mended leaves with a star.
std::string text(Source& source, LocationId location) {
  std::string out;
  for (const Event& e : read_events(source, location)) {
    out += out.empty() ? "" : " ";
    if (e.kind == EventKind::enter || e.kind == EventKind::leave)
      out += (e.kind == EventKind::enter ? "+" : "-") + source.definitions().regions.at(e.region).name;
    else
      out += to_string(e.kind);
    out += (e.mended ? "*@" : "@") + std::to_string(e.time);
  }
  return out;
}

Event at(EventKind kind, Nanoseconds time) {
  Event e;
  e.kind = kind;
  e.time = time;
  return e;
}

TEST(TraceBuilder, AnEmptyTraceIsAnError) {
  TraceBuilder builder("test");
  const auto source = builder.finish();
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
}

TEST(TraceBuilder, LocationsWithoutEventsAreATrace) {
  TraceBuilder builder("test 1.0");
  builder.location(3);
  const auto source = builder.finish();
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ((*source)->definitions().world_size, 4u);
  EXPECT_EQ((*source)->definitions().time_origin, 0);
  EXPECT_EQ((*source)->duration_hint(), 0);
  EXPECT_EQ((*source)->format(), "test 1.0");
}

TEST(TraceBuilder, LocationsAreRenumberedByRankAndThread) {
  TraceBuilder builder("test");
  const RegionId main = builder.region("main");
  const std::pair<std::uint32_t, std::uint32_t> order[] = {{1, 1}, {0, 0}, {1, 0}, {0, 2}};
  for (const auto& [rank, thread] : order) {
    const LocationId l = builder.location(rank, thread);
    EXPECT_EQ(builder.location(rank, thread), l);
    builder.enter(l, 100 + 10 * rank + thread, main);
    builder.leave(l, 200);
  }
  auto source = std::move(*builder.finish());
  const Definitions& d = source->definitions();
  ASSERT_EQ(d.locations.size(), 4u);
  EXPECT_EQ(d.locations[0].name, "rank 0");
  EXPECT_EQ(d.locations[1].name, "rank 0 thread 2");
  EXPECT_EQ(d.locations[2].name, "rank 1");
  EXPECT_EQ(d.locations[3].name, "rank 1 thread 1");
  EXPECT_EQ(text(*source, 0), "+main@0 -main@100");
  EXPECT_EQ(text(*source, 1), "+main@2 -main@100");
  EXPECT_EQ(text(*source, 2), "+main@10 -main@100");
  EXPECT_EQ(text(*source, 3), "+main@11 -main@100");
  EXPECT_EQ(d.location_of_rank(1), 2u);
  EXPECT_EQ(d.time_origin, 100);
  EXPECT_EQ(source->duration_hint(), 100);
  EXPECT_EQ(source->event_count_hint(3), 2u);
}

TEST(TraceBuilder, WorldHoldsAllRanks) {
  TraceBuilder builder("test");
  const CommId world = builder.world();
  EXPECT_EQ(builder.world(), world);
  builder.location(2);
  builder.location(0, 5);
  const auto source = std::move(*builder.finish());
  EXPECT_EQ(source->definitions().communicators[world].members, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(TraceBuilder, NamesAreInternedAndMpiIsRecognised) {
  TraceBuilder builder("test");
  const RegionId send = builder.region("MPI_Send", "MPI");
  EXPECT_EQ(builder.region("MPI_Send", "MPI"), send);
  EXPECT_NE(builder.region("MPI_Send", "MPI", "a.c", 7), send);
  EXPECT_NE(builder.region("MPI_Send"), send);
  EXPECT_EQ(builder.user_type("marker"), builder.user_type("marker"));
  EXPECT_NE(builder.user_type("marker"), builder.user_type("other"));
  EXPECT_EQ(builder.string("x"), builder.string("x"));
  const Definitions& d = builder.definitions();
  EXPECT_EQ(d.regions[send].kind, RegionKind::mpi);
  EXPECT_EQ(call_class(d.regions[send]), CallClass::send);
  EXPECT_EQ(d.regions[builder.region("f")].kind, RegionKind::user);
  EXPECT_EQ(d.user_types.size(), 2u);
  EXPECT_EQ(d.strings.size(), 1u);
}

TEST(TraceBuilder, TimesThatGoBackAreRaisedAndCounted) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  builder.enter(l, 100, builder.region("main"));
  builder.append(l, at(EventKind::other, 50));
  builder.append(l, at(EventKind::other, 99));
  builder.leave(l, 110);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+main@0 other@0 other@0 -main@10");
  EXPECT_EQ(count_of(*source, "clock-went-backwards"), 2u);
}

TEST(TraceBuilder, LeavingAnOuterRegionClosesTheInnerOnes) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  const RegionId main = builder.region("main"), f = builder.region("f"), g = builder.region("g");
  builder.enter(l, 0, main);
  builder.enter(l, 1, f);
  builder.enter(l, 2, g);
  EXPECT_EQ(builder.open_region(l), g);
  EXPECT_EQ(builder.open_region(l, 1), f);
  EXPECT_EQ(builder.open_region(l, 3), no_id);
  EXPECT_EQ(builder.depth(l), 3u);
  builder.leave(l, 3, main);
  EXPECT_EQ(builder.depth(l), 0u);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+main@0 +f@1 +g@2 -g@3 -f@3 -main@3");
  EXPECT_EQ(count_of(*source, "missing-leave"), 2u);
}

TEST(TraceBuilder, LeavesWithoutEnterAreDropped) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  builder.leave(l, 0);
  builder.enter(l, 1, builder.region("main"));
  builder.leave(l, 2, builder.region("f"));
  builder.leave(l, 3);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+main@0 -main@2");
  EXPECT_EQ(count_of(*source, "stray-leave"), 2u);
}

TEST(TraceBuilder, OpenRegionsAreClosedAtTheLastTimeAndMarked) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  builder.enter(l, 5, builder.region("main"));
  builder.enter(l, 6, builder.region("f"));
  builder.append(l, at(EventKind::other, 9));
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+main@0 +f@1 other@4 -f*@4 -main*@4");
  EXPECT_EQ(count_of(*source, "unclosed-region"), 2u);
}

/// Tasks that are entered and never left, each with work that is.
void lose_tasks(TraceBuilder& builder, LocationId l, int tasks) {
  builder.enter(l, 0, builder.region("m"));
  for (int i = 0; i < tasks; ++i) {
    builder.enter(l, 10 * i + 1, builder.region("t"));
    builder.append(l, at(EventKind::other, 10 * i + 2));
    builder.enter(l, 10 * i + 3, builder.region("w"));
    builder.leave(l, 10 * i + 4);
  }
}

TEST(TraceBuilder, LostLeavesNestNothingElse) {
  TraceBuilder builder("test");
  for (const std::uint32_t rank : {0U, 1U, 2U}) lose_tasks(builder, builder.location(rank), 2);
  builder.leave(0, 20, builder.region("m"));
  EXPECT_EQ(builder.close(1, 20, 1), 0u);
  EXPECT_EQ(builder.depth(1), 1u);
  builder.leave(1, 20);
  auto source = std::move(*builder.finish());
  const std::string expected = "+m@0 +t@1 other@2 -t@3 +w@3 -w@4 +t@11 other@12 -t@13 +w@13 -w@14 ";
  EXPECT_EQ(text(*source, 0), expected + "-m@20");
  EXPECT_EQ(text(*source, 1), expected + "-m@20");
  EXPECT_EQ(text(*source, 2), expected + "-m*@14");
  EXPECT_EQ(count_of(*source, "lost-leave"), 6u);
  EXPECT_EQ(count_of(*source, "missing-leave"), 0u);
  EXPECT_EQ(count_of(*source, "unclosed-region"), 2u);
  EXPECT_EQ(source->event_count_hint(2), 12u);
}

TEST(TraceBuilder, WhatIsEnteredOnceOrLeftHasLostNothing) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  const RegionId m = builder.region("m"), f = builder.region("f"), g = builder.region("g");
  for (const RegionId region : {m, f, f, g}) builder.enter(l, 0, region);
  builder.leave(l, 1, f);  // closes g
  builder.leave(l, 2, f);
  builder.enter(l, 3, f);
  builder.enter(l, 4, g);
  builder.leave(l, 5, m);  // closes g and f
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+m@0 +f@0 +f@0 +g@0 -g@1 -f@1 -f@2 +f@3 +g@4 -g@5 -f@5 -m@5");
  EXPECT_EQ(count_of(*source, "missing-leave"), 3u);
  EXPECT_EQ(count_of(*source, "lost-leave"), 0u);
}

TEST(TraceBuilder, HostileTimesDoNotOverflow) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  Event put = at(EventKind::put, INT64_MAX);
  put.end_time = INT64_MAX;
  Event other = put;
  other.end_time = at_leave;
  builder.append(l, at(EventKind::other, INT64_MIN));
  builder.append(l, at(EventKind::other, -1));
  builder.append(l, put);
  builder.append(l, other);
  auto source = std::move(*builder.finish());
  const auto events = read_events(*source, 0);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].time, 0);
  EXPECT_EQ(events[1].time, INT64_MAX);  // 2^63 - 1 after the first: just fits
  EXPECT_EQ(events[2].time, INT64_MAX);
  EXPECT_EQ(events[2].end_time, INT64_MAX);
  EXPECT_EQ(events[3].end_time, at_leave);
  EXPECT_EQ(source->duration_hint(), INT64_MAX);
  EXPECT_EQ(count_of(*source, "time-out-of-range"), 1u);
}

TEST(TraceBuilder, TimesSinceAnOriginSaturateAtBothEnds) {
  EXPECT_EQ(time_since(5, 12), 7);
  EXPECT_EQ(time_since(12, 5), -7);
  EXPECT_EQ(time_since(INT64_MIN, INT64_MAX), INT64_MAX);
  EXPECT_EQ(time_since(INT64_MAX, INT64_MIN), INT64_MIN + 1);
  EXPECT_EQ(time_since(0, INT64_MIN), INT64_MIN + 1);  // the smallest value means "at the leave"
}

TEST(TraceBuilder, EndTimesMoveWithTheTimes) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  Event put = at(EventKind::put, 1000);
  put.end_time = 1500;
  builder.append(l, put);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(read_events(*source, 0).at(0).end_time, 500);
}

TEST(TraceBuilder, ReferencesToNothingAreReplacedAndCounted) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  builder.enter(l, 0, builder.region("main"));
  builder.enter(l, 1, 77);
  Event send = at(EventKind::send, 2);
  send.comm = 5;
  builder.append(l, send);
  Event metric = at(EventKind::metric, 3);
  metric.vector = 0;
  builder.append(l, metric);
  builder.leave(l, 4, 77);
  builder.leave(l, 5);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(text(*source, 0), "+main@0 +undefined region@1 send@2 metric@3 -undefined region@4 -main@5");
  const auto events = read_events(*source, 0);
  EXPECT_EQ(events[2].comm, no_id);
  EXPECT_EQ(events[3].vector, no_id);
  EXPECT_EQ(count_of(*source, "undefined-reference"), 4u);
}

TEST(TraceBuilder, DefinitionsMayComeAfterTheirEvents) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  Event metric = at(EventKind::metric, 3);
  metric.vector = 0;
  builder.append(l, metric);
  builder.definitions().metrics.push_back({"late", "#"});
  auto source = std::move(*builder.finish());
  EXPECT_EQ(read_events(*source, 0).at(0).vector, 0u);
  EXPECT_EQ(count_of(*source, "undefined-reference"), 0u);
}

TEST(TraceBuilder, AFullDiskIsAnErrorOfFinish) {
  TraceBuilder builder("test", {.budget = 1000, .directory = "/nonexistent-directory"});
  const LocationId l = builder.location(0);
  for (int i = 0; i < 1000 && !builder.failed(); ++i) builder.append(l, at(EventKind::other, i));
  EXPECT_TRUE(builder.failed());
  const auto source = builder.finish();
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().kind, ErrorKind::system);
}

// 100,000 regions open and 100,000 leaves of one that is not: a search each would take 10^10 steps.
TEST(TraceBuilder, StrayLeavesUnderADeepStackAreNotQuadratic) {
  TraceBuilder builder("test");
  const LocationId l = builder.location(0);
  const RegionId f = builder.region("f"), g = builder.region("g");
  const double start = processor_seconds();
  for (int i = 0; i < 100000; ++i) builder.enter(l, i, f);
  for (int i = 0; i < 100000; ++i) builder.leave(l, 100000, g);
  EXPECT_LT(processor_seconds() - start, 5);
  builder.enter(l, 100001, g);
  builder.leave(l, 100001, g);  // what was counted in vain is counted right
  for (int i = 0; i < 100000; ++i) builder.leave(l, 100002, f);
  auto source = std::move(*builder.finish());
  EXPECT_EQ(count_of(*source, "stray-leave"), 100000u);
  EXPECT_EQ(source->event_count_hint(0), 200002u);
  EXPECT_EQ(count_of(*source, "unclosed-region"), 0u);
}

}  // namespace
}  // namespace mora::trace
