// A machine whose costs are zero is the ideal network: the replayed trace ends where the ideal replay does.
#include "predict/prediction/predicted_trace.h"

#include <gtest/gtest.h>

#include "replay/replay.h"
#include "support/trace/random_trace.h"
#include "trace/readers/text/text_source.h"

namespace mora::predict {
namespace {

constexpr const char* free_machine = R"({"format": "mora-machine 2", "same_core":
  {"model": "hockney", "latency_ns": 0, "ns_per_byte": 0}, "same_node": {"model": "hockney", "latency_ns": 0, "ns_per_byte": 0}})";

PredictionRequest request_on(const MachineModel& machine, std::uint32_t ranks) {
  PredictionRequest request;
  request.machine = &machine;
  request.machine_file = "machine.json";
  request.places.node.resize(ranks, 0);
  return request;
}

struct LastTime : trace::EventSink {
  void on_event(const trace::Event& event) override { time = event.time; }
  Nanoseconds time = 0;
};

TEST(PredictedTrace, OnAMachineThatCostsNothingItIsTheIdealRun) {
  const auto machine = parse_machine_model(free_machine, "machine.json");
  ASSERT_TRUE(machine) << machine.error().text();
  std::uint64_t through = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto source = trace::naive::random_trace(
        {.seed = seed, .steps = 60, .rma = false, .collectives = false, .others = false, .damage = false});
    const auto ideal = replay::replay_on_ideal_network(*source, {});
    ASSERT_TRUE(ideal);
    const auto predicted = predicted_trace(*source, request_on(*machine, source->definitions().world_size));
    if (!predicted) continue;  // it hangs, where the ideal replay gives up
    ++through;
    for (trace::LocationId l = 0; l < source->definitions().locations.size(); ++l) {
      if (source->definitions().locations[l].kind != trace::LocationKind::cpu) continue;
      LastTime last, recorded;
      ASSERT_TRUE((*predicted)->read_location(l, last));
      ASSERT_TRUE(source->read_location(l, recorded));
      EXPECT_EQ(last.time, ideal->locations[l].end) << "seed " << seed << " location " << l;
      moved += last.time != recorded.time ? 1 : 0;
    }
    if (HasFailure()) return;
    // Nothing is left to gain: the ideal replay of the predicted run is the predicted run.
    const auto again = replay::replay_on_ideal_network(**predicted, {});
    ASSERT_TRUE(again);
    for (std::size_t l = 0; l < again->locations.size(); ++l)
      EXPECT_EQ(again->locations[l].end, ideal->locations[l].end);
  }
  EXPECT_GT(through, 20U);
  EXPECT_GT(moved, 20U);
}

TEST(PredictedTrace, WhatWouldHangIsAnErrorWithItsCircle) {
  auto source = trace::read_trace_text(R"(mora-trace 1
P0 0-5 MPI_Send@a.c:1 to 1 bytes 2000; 5-9 MPI_Recv from 1 bytes 2000
P1 0-5 MPI_Send@a.c:1 to 0 bytes 2000; 5-9 MPI_Recv from 0 bytes 2000
)",
                                       "test.trace");
  ASSERT_TRUE(source);
  const auto machine = parse_machine_model(
      R"({"format": "mora-machine 2", "same_node": {"model": "loggp", "latency_ns": 1, "overhead_ns": 1, "gap_ns": 1,
        "gap_ns_per_byte": 1, "eager_up_to_bytes": 1000}})",
      "machine.json");
  ASSERT_TRUE(machine) << machine.error().text();
  const auto predicted = predicted_trace(**source, request_on(*machine, 2));
  ASSERT_FALSE(predicted);
  EXPECT_EQ(predicted.error().why,
            "deadlock: rank 0 in MPI_Send (a.c:1) waits for rank 1, rank 1 in MPI_Send (a.c:1) waits for rank 0");
}

}  // namespace
}  // namespace mora::predict
