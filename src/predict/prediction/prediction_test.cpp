// Predictions worked out by hand.
#include "predict/prediction/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "predict/prediction/check.h"
#include "predict/prediction/machine_network.h"
#include "predict/prediction/report.h"
#include "predict/prediction/sensitivity.h"
#include "predict/prediction/unmodelled.h"
#include "trace/readers/text/text_source.h"

namespace mora::predict {
namespace {

constexpr const char* machine_text = R"({"format": "mora-machine 2", "name": "M",
  "same_node": {"model": "piecewise", "measured_up_to_bytes": 5000, "segments": [
    {"up_to_bytes": 999, "protocol": "eager", "send_overhead_ns": 5, "receive_overhead_ns": 5, "latency_ns": 100,
     "ns_per_byte": 1, "relative_error": 0.5},
    {"protocol": "rendezvous", "send_overhead_ns": 5, "receive_overhead_ns": 5, "latency_ns": 1000, "ns_per_byte": 1}]},
  "other_node": {"model": "hockney", "latency_ns": 2000, "ns_per_byte": 2}})";

Result<Prediction> predicted(const std::string& lines, std::vector<std::uint32_t> nodes,
                             const std::string& machine = machine_text) {
  auto source = trace::read_trace_text("mora-trace 1\n" + lines, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  const MachineModel model = parse_machine_model(machine, "machine.json").value();
  PredictionRequest request;
  request.machine = &model;
  request.machine_file = "machine.json";
  request.places.node = std::move(nodes);
  request.collectives = mpi::schedule::CollectiveModel::openmpi;
  return predict(**source, request);
}

constexpr const char* one_message = R"(
P0 0-10 MPI_Init; 10-20 w; 20-30 MPI_Send@ring.c:5 to 1 bytes 100; 30-50 MPI_Finalize
P1 0-10 MPI_Init; 10-12 w; 12-40 MPI_Recv@ring.c:7 from 0 bytes 100; 40-50 MPI_Finalize
)";

Predictor by_replay(trace::Source& source) {
  return [&source](const PredictionRequest& request) { return predict(source, request); };
}

TEST(Prediction, TimesAreDividedAndHaveBaselinesAndBounds) {
  const auto p = predicted(one_message, {0, 0});
  ASSERT_TRUE(p) << p.error().text();
  // P0 hands over at 25; P1 is in MPI_Recv from 12 to 25 + 100 + 100 + 5.
  EXPECT_EQ(p->machine.run_time, 230);
  EXPECT_EQ(p->machine.mpi_time, 5 + 218);
  EXPECT_EQ(p->by_rank[1].waiting, 13);
  EXPECT_EQ(p->by_rank[1].transfer, 200);
  EXPECT_EQ(p->by_rank[1].overhead, 5);
  EXPECT_EQ(p->by_rank[1].measured, 28);
  EXPECT_EQ(p->measured.run_time, 40);
  EXPECT_EQ(p->measured.mpi_time, 38);
  EXPECT_EQ(p->free.run_time, 20);
  EXPECT_EQ(p->free.mpi_time, 8);
  // Half of everything, and half as much again: 3 (2.5) + 50 + 50 + 3, 8 (7.5) + 150 + 150 + 8.
  EXPECT_EQ(p->low.run_time, 20 + 3 + 50 + 50 + 3);
  EXPECT_EQ(p->high.run_time, 20 + 8 + 150 + 150 + 8);
  // Hockney: 110 for nothing; 1 MiB costs 1010 + 2^20: (900 + 2^20) / 2^20 a byte.
  EXPECT_EQ(p->hockney.run_time, 20 + 110 + 100);
  ASSERT_EQ(p->calls.size(), 2U);
  EXPECT_EQ(p->calls[0].path, "MPI_Recv@ring.c:7");
  EXPECT_EQ(p->calls[0].kind, "point-to-point");
  EXPECT_TRUE(p->unmodelled.empty());
  EXPECT_EQ(p->largest_beyond, 0U);
}

TEST(Prediction, ThePlacementDecidesTheClass) {
  const auto p = predicted(one_message, {0, 1});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->machine.run_time, 20 + 2000 + 200);
  EXPECT_EQ(p->classes, std::vector<Locality>{Locality::other_node});
}

TEST(Prediction, RanksOfANodeShareItsConnection) {
  const auto machine = [](const std::string& shared) {
    std::string m = machine_text;
    return m.insert(m.find("\"same_node\""), "\"shared\": {" + shared + "}, ");
  };
  constexpr const char* lines = R"(
P0 0-10 MPI_Send to 2 bytes 1000
P1 0-10 MPI_Send to 3 bytes 1000
P2 0-10 MPI_Recv from 0 bytes 1000
P3 0-10 MPI_Recv from 1 bytes 1000
)";
  const std::vector<std::uint32_t> nodes = {0, 0, 1, 1};
  const auto run = [&](const std::string& shared) {
    auto p = predicted(lines, nodes, machine(shared));
    EXPECT_TRUE(p) << (p ? "" : p.error().text());
    return std::move(*p);
  };
  // Alone 2000 + 2 for each byte: R_C is half a byte per ns.
  EXPECT_EQ(run("").machine.run_time, 4000);
  EXPECT_EQ(run("\"connection_ns_per_byte\": 1").machine.run_time, 4000);
  EXPECT_EQ(run("\"connection_ns_per_byte\": 2").machine.run_time, 6000);
  EXPECT_EQ(run("\"connection_ns_per_byte\": 3").machine.run_time, 8000);
  EXPECT_EQ(run("\"connection_ns_per_byte\": 3").hockney.run_time, 4000);
  EXPECT_EQ(run("\"memory_ns_per_byte\": 9").machine.run_time, 4000);
  // On one node: a rendezvous of 5 + 1000 + 1000 + 5; both are through when the memory has had 2000 bytes.
  EXPECT_EQ(predicted(lines, {0, 0, 0, 0}, machine(""))->machine.run_time, 2010);
  EXPECT_EQ(predicted(lines, {0, 0, 0, 0}, machine("\"memory_ns_per_byte\": 4"))->machine.run_time, 9010);
  EXPECT_EQ(predicted(lines, {0, 0, 0, 0}, machine("\"connection_ns_per_byte\": 4"))->machine.run_time, 2010);
  const auto words = [&](const std::string& shared) {
    const std::string text = prediction_text(run(shared), {}, false, {});
    const std::size_t at = text.find("* sharing of ");
    return text.substr(at, text.find(" by several", at) - at);
  };
  EXPECT_EQ(words(""), "* sharing of links and memory");
  EXPECT_EQ(words("\"connection_ns_per_byte\": 1"), "* sharing of memory, and of links between switches,");
  EXPECT_EQ(words("\"memory_ns_per_byte\": 1"), "* sharing of links");
  EXPECT_EQ(words("\"connection_ns_per_byte\": 1, \"memory_ns_per_byte\": 1"), "* sharing of links between switches");
}

TEST(Prediction, MessagesShareTheLinksOfTheirRoutes) {
  // A ring of seven nodes; 100 + 1 for each byte, 10 for each further link. 0 to 2 and 1 to 3 meet between 1 and 2.
  const auto run_time = [](const std::string& link, std::uint32_t second) {
    const auto p = predicted(
        "P0 0-10 MPI_Send to 2 bytes 1000\nP1 0-10 MPI_Send to 3 bytes 1000\nP2 0-10 MPI_Recv from 0 bytes 1000\n"
        "P3 0-10 MPI_Recv from 1 bytes 1000\n",
        {0, second, 2, (second + 2) % 7},
        R"({"format": "mora-machine 2", "other_node": {"model": "hockney", "latency_ns": 100, "ns_per_byte": 1},
            "topology": {"kind": "torus", "extents": [7], "hop_latency_ns": 10)" +
            link + "}}");
    EXPECT_TRUE(p) << (p ? "" : p.error().text());
    return p ? p->machine.run_time : 0;
  };
  EXPECT_EQ(run_time("", 1), 1110);
  EXPECT_EQ(run_time(R"(, "link_ns_per_byte": 1)", 1), 2110);
  EXPECT_EQ(run_time(R"(, "link_ns_per_byte": 0.5)", 1), 1110);
  EXPECT_EQ(run_time(R"(, "link_ns_per_byte": 1)", 3), 1110);  // no link in common
}

TEST(Prediction, AClassThatIsMissingIsAnError) {
  const auto p = predicted(
      one_message, {0, 1},
      R"({"format": "mora-machine 2", "same_core": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 1}})");
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().why, "other_node is missing, and some ranks are so far apart");
}

TEST(Prediction, AProgramThatWouldHangIsAnErrorWithItsCircle) {
  const auto p = predicted(R"(
P0 0-10 MPI_Send@a.c:1 to 1 bytes 2000; 10-20 MPI_Recv@a.c:2 from 1 bytes 2000
P1 0-10 MPI_Send@a.c:1 to 0 bytes 2000; 10-20 MPI_Recv@a.c:2 from 0 bytes 2000
)",
                           {0, 0});
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().what, "the program would hang on this machine");
  EXPECT_EQ(p.error().why,
            "deadlock: rank 0 in MPI_Send (a.c:1) waits for rank 1, rank 1 in MPI_Send (a.c:1) waits for rank 0");
}

TEST(Prediction, WhatIsApproximatedIsCounted) {
  const auto p = predicted(R"(
P0 0-100 MPI_Win_fence w0; 100-150 MPI_Put w0 to 1 bytes 8; 150-300 MPI_Win_fence w0; 300-310 MPI_Barrier
P1 0-100 MPI_Win_fence w0; 100-300 MPI_Win_fence w0; 300-310 MPI_Barrier
)",
                           {0, 0});
  ASSERT_TRUE(p) << p.error().text();
  ASSERT_EQ(p->unmodelled.size(), 2U);
  EXPECT_EQ(p->unmodelled[0].function, "MPI_Win_fence");
  EXPECT_EQ(p->unmodelled[0].calls, 4U);
  EXPECT_EQ(p->unmodelled[0].measured, 550);
  EXPECT_EQ(p->unmodelled[1].function, "MPI_Put");
  // Fences are barriers of 110. The put is handed over at 115 and there at 223; then P0 hands its message over at 228,
  // is through at 233, and P1 at 333; of the last barrier P1's message is handed over at 338.
  EXPECT_EQ(p->machine.run_time, 338 + 100 + 5);
  PredictionNames names;
  names.trace = "T";
  names.machine = "M";
  const std::string text = prediction_text(*p, names, true, {});
  EXPECT_NE(text.find("calls that are only approximated: 96.8 % of the recorded MPI time"), std::string::npos) << text;
}

TEST(Prediction, SizesBeyondWhatWasMeasuredAreMarked) {
  const auto p = predicted("P0 0-10 MPI_Send to 1 bytes 6000\nP1 0-10 MPI_Recv from 0 bytes 6000\n", {0, 0});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->largest_beyond, 6000U);
}

TEST(WhatIf, EqualComputationAndNoWaiting) {
  auto source = trace::read_trace_text(std::string("mora-trace 1\n") + one_message, "test.trace");
  ASSERT_TRUE(source);
  const MachineModel model = parse_machine_model(machine_text, "machine.json").value();
  PredictionRequest request;
  request.machine = &model;
  request.places.node = {0, 0};
  const auto p = predict(**source, request);
  ASSERT_TRUE(p) << p.error().text();
  EXPECT_EQ(p->computation, (std::vector<Nanoseconds>{10, 2}));
  const auto changes = what_if(by_replay(**source), request, *p, check_of(*p));
  ASSERT_TRUE(changes) << changes.error().text();
  ASSERT_EQ(changes->size(), 5U);
  const auto of = [&](const std::string& key) {
    return *std::find_if(changes->begin(), changes->end(), [&](const WhatIf& one) { return one.key == key; });
  };
  EXPECT_EQ(of("machine").run_time, 230);
  EXPECT_EQ(of("machine").error, 190.0 / 40);
  EXPECT_EQ(of("free_network").run_time, 20);
  // Both compute for 6 ns: the message is handed over at 21.
  EXPECT_EQ(of("balanced").run_time, 16 + 5 + 200 + 5);
  EXPECT_EQ(of("balanced").low, 16 + 3 + 50 + 50 + 3);
  EXPECT_EQ(of("balanced").high, 16 + 8 + 150 + 150 + 8);
  EXPECT_EQ(of("balanced_free_network").run_time, 16);
  EXPECT_EQ(of("balanced_free_network").low, std::nullopt);
  // P1 without the 13 ns in which P0 had not sent.
  EXPECT_EQ(of("without_waiting").run_time, 230 - 13);
  EXPECT_EQ(of("without_waiting").mpi_time, 5 + 218 - 13);
  PredictionNames names;
  const std::string json = prediction_json(*p, names, std::nullopt, *changes);
  EXPECT_NE(json.find("\"change\": \"balanced\""), std::string::npos) << json;
  EXPECT_NE(prediction_text(*p, names, false, {}, *changes).find("@--- WHAT IF"), std::string::npos);
  const auto of_another = what_if(by_replay(**source), request, *p, std::nullopt);
  EXPECT_EQ((*of_another)[0].error, std::nullopt);
}

constexpr const char* straight_machine = R"({"format": "mora-machine 2", "same_node": {"model": "loggp",
  "latency_ns": 20000, "overhead_ns": 3000, "gap_ns": 3000, "gap_ns_per_byte": 10}})";

/// Of a trace on straight_machine.
std::vector<Sensitivity> sensitivity_of(const std::string& lines, std::uint32_t ranks) {
  auto source = trace::read_trace_text("mora-trace 1\nunit us\n" + lines, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  const MachineModel model = parse_machine_model(straight_machine, "machine.json").value();
  PredictionRequest request;
  request.machine = &model;
  request.places.node.resize(ranks, 0);
  auto parts = sensitivity(**source, request);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? *parts : std::vector<Sensitivity>{};
}

// Two messages one after the other, 300 us of computation around them. A message of 1,000 bytes: o + L + 999 G + o, of
// which the model takes L - G for the latency and 1,000 G for the bytes.
TEST(Sensitivity, OfAChainIsItsPartsOfTheCosts) {
  const auto parts = sensitivity_of(R"(
P0 0-100 w; 100-101 MPI_Send to 1 bytes 1000; 101-900 MPI_Recv from 1 bytes 1000; 900-1000 w
P1 0-500 MPI_Recv from 0 bytes 1000; 500-600 w; 600-601 MPI_Send to 0 bytes 1000
)",
                                    2);
  ASSERT_EQ(parts.size(), 4U);
  const double run = 300 + 2 * (26 + 9.99);
  EXPECT_NEAR(parts[0].share, 2 * 19.99 / run, 1e-4);
  EXPECT_NEAR(parts[1].share, 2 * 10.0 / run, 1e-4);
  EXPECT_NEAR(parts[2].share, 4 * 3.0 / run, 1e-4);
  EXPECT_NEAR(parts[3].share, parts[0].share + parts[1].share + parts[2].share, 1e-4);
  for (const Sensitivity& part : parts) {
    ASSERT_TRUE(part.tolerance) << part.key;
    EXPECT_NEAR(*part.tolerance - 1, 0.01 / part.share, 0.02 * 0.01 / part.share) << part.key;
  }
}

// The message is there long before it is taken: latency has no share, and may grow by what it is early, and by 1 %.
TEST(Sensitivity, WhatIsNotOnTheCriticalPathHasNoShareButALimit) {
  const auto parts = sensitivity_of(R"(
P0 0-1 MPI_Send to 1 bytes 1; 1-10 w
P1 0-1000 w; 1000-1001 MPI_Recv from 0 bytes 1
)",
                                    2);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].share, 0);
  ASSERT_TRUE(parts[0].tolerance);
  // 3 + L' + 3 may be 1003 and 1 % of it.
  EXPECT_NEAR(*parts[0].tolerance, (1003 * 1.01 - 6) / 20, 0.6);
  EXPECT_EQ(parts[1].tolerance, std::nullopt);
  EXPECT_NEAR(parts[2].share, 3.0 / 1003, 1e-4);
}

TEST(Sensitivity, WithoutMessagesNothingMatters) {
  for (const Sensitivity& part : sensitivity_of("P0 0-10 w\nP1 0-20 w\n", 2)) {
    EXPECT_EQ(part.share, 0);
    EXPECT_EQ(part.tolerance, std::nullopt);
  }
}

TEST(Check, ErrorsAreThoseOfTheTimeInCalls) {
  const auto p = predicted(one_message, {0, 0});
  ASSERT_TRUE(p);
  const Check check = check_of(*p);
  // P0 5 for 10, P1 218 for 28.
  ASSERT_EQ(check.ranks.count, 2U);
  EXPECT_DOUBLE_EQ(check.ranks.median, 0.5);
  EXPECT_DOUBLE_EQ(check.ranks.ninth_decile, 190.0 / 28);
  EXPECT_DOUBLE_EQ(check.ranks.worst, 190.0 / 28);
  EXPECT_EQ(check.by_call[0].path, "MPI_Recv@ring.c:7");
  EXPECT_DOUBLE_EQ(check.run_time_error, 190.0 / 40);
  EXPECT_DOUBLE_EQ(check.free_run_time_error, -0.5);
  EXPECT_EQ(summary_of({}).count, 0U);
}

// ---- calls on windows

using replay::WindowCall;

/// A ring of six nodes; a class with one-sided costs for each distance of `classes`.
MachineModel ring(const std::vector<std::pair<const char*, const char*>>& classes) {
  std::string text =
      R"({"format": "mora-machine 2", "topology": {"kind": "torus", "extents": [6], "hop_latency_ns": 10})";
  for (const auto& [name, one_sided] : classes)
    text += std::string(", \"") + name +
            R"(": {"model": "hockney", "latency_ns": 100, "ns_per_byte": 1, "one_sided": )" + one_sided + "}";
  return parse_machine_model(text + "}", "machine.json").value();
}

const mpi::Function& by_name(const char* name) { return mpi::function(mpi::find(name)); }

MachineNetwork network_of(const MachineModel& model, const RankPlaces& places) {
  return MachineNetwork::make(model, places, mpi::schedule::CollectiveModel::openmpi, CostModel::machine, "m").value();
}

TEST(MachineNetwork, CallsOnWindowsOfOneTargetAndOfAllRanks) {
  const MachineModel model = ring({{"other_node", R"({"put": [{"overhead_ns": 5, "latency_ns": 40, "ns_per_byte": 2}],
                                                      "flush": [{"overhead_ns": 7}], "fence": [{"latency_ns": 300}]})"}});
  const RankPlaces places{{0, 1, 3}, {}};
  const MachineNetwork network = network_of(model, places);
  const auto cost = [&](WindowCall call, std::uint32_t to) {
    const auto c = network.window(call, 0, to, 100);
    EXPECT_TRUE(c);
    return c ? std::tuple(c->send_overhead, c->latency, c->port)
             : std::tuple(Nanoseconds{-1}, Nanoseconds{}, Nanoseconds{});
  };
  // Rank 2 is three links away, two more than the nearest node.
  EXPECT_EQ(cost(WindowCall::put, 1), std::tuple(5, 40, 200));
  EXPECT_EQ(cost(WindowCall::put, 2), std::tuple(5, 60, 200));
  // What says nothing to the target has no way there; nor have calls of all ranks a distance.
  EXPECT_EQ(cost(WindowCall::flush, 2), std::tuple(7, 0, 0));
  EXPECT_EQ(cost(WindowCall::flush, trace::no_id), std::tuple(7, 0, 0));
  EXPECT_EQ(cost(WindowCall::fence, trace::no_id), std::tuple(0, 300, 0));
  EXPECT_FALSE(network.window(WindowCall::create, 0, trace::no_id, 0));
  EXPECT_FALSE(network.window(WindowCall::none, 0, 1, 0));
}

TEST(MachineNetwork, WhichCallsAreMeasuredIsWhatTheReplayAsks) {
  // Two ranks of node 0 and one of node 1: what meets all ranks is asked of the farthest class, the rest of both.
  const MachineModel model =
      ring({{"same_node", R"({"put": [{}]})"},
            {"other_node", R"({"put": [{}], "get": [{}], "fence": [{}], "flush": [{}], "lock_all": [{}]})"}});
  const RankPlaces places{{0, 0, 1}, {}};
  const MachineNetwork network = network_of(model, places);
  const auto is_measured = [&](const char* name) { return network.has_measured(by_name(name)); };
  for (const char* name :
       {"MPI_Put", "MPI_Win_fence", "MPI_Win_lock_all", "MPI_Win_flush_all", "MPI_Win_flush_local_all"})
    EXPECT_TRUE(is_measured(name)) << name;
  for (const char* name :
       {"MPI_Get", "MPI_Win_flush", "MPI_Win_flush_local", "MPI_Win_create", "MPI_Win_unlock_all", "MPI_Send"})
    EXPECT_FALSE(is_measured(name)) << name;
  EXPECT_TRUE(network.window(WindowCall::fence, 0, trace::no_id, 0));
}

TEST(Unmodelled, SharedLocksAreSeenInTheTrace) {
  for (const std::string kind : {"exclusive", "shared"}) {
    const auto p = predicted("P0 0-1 MPI_Win_lock w0 to 1 " + kind + "; 1-2 MPI_Win_unlock w0 to 1\nP1 0-1 w\n", {0, 1},
                             R"({"format": "mora-machine 2", "other_node": {"model": "hockney", "latency_ns": 1,
                                 "ns_per_byte": 1, "one_sided": {"lock": [{}], "unlock": [{}]}}})");
    ASSERT_TRUE(p) << p.error().text();
    EXPECT_EQ(p->unmodelled.size(), kind == "shared" ? 1U : 0U);
  }
}

TEST(MachineNetwork, ErrorsOfOneSidedCallsAreErrorsOfTheModel) {
  const RankPlaces places{{0, 1}, {}};
  EXPECT_FALSE(network_of(ring({{"other_node", R"({"put": [{"latency_ns": 40}]})"}}), places).states_errors());
  const MachineModel model = ring({{"other_node", R"({"put": [{"latency_ns": 1000, "relative_error": 0.3}]})"}});
  EXPECT_TRUE(network_of(model, places).states_errors());
  auto source = trace::read_trace_text(
      "mora-trace 1\nP0 0-1 MPI_Win_lock_all w0; 1-2 MPI_Put w0 to 1 bytes 8; 2-3 MPI_Win_flush w0 to 1; 3-4 "
      "MPI_Win_unlock_all w0\nP1 0-1 w\n",
      "test.trace");
  ASSERT_TRUE(source) << source.error().text();
  PredictionRequest request;
  request.machine = &model;
  request.machine_file = "machine.json";
  request.places = places;
  const auto p = predict(**source, request);
  ASSERT_TRUE(p) << p.error().text();
  EXPECT_EQ(p->low.run_time, 700);
  EXPECT_EQ(p->machine.run_time, 1000);
  EXPECT_EQ(p->high.run_time, 1300);
}

TEST(Unmodelled, WhatStandsForCallsThatWereNotMeasuredThemselves) {
  const auto how = [](const char* name, std::size_t most_ranks, bool shares_locks = false) {
    return approximation_of(by_name(name), true, {most_ranks, shares_locks});
  };
  EXPECT_EQ(how("MPI_Put", 9), "");
  EXPECT_EQ(how("MPI_Rget", 9), "");
  EXPECT_EQ(how("MPI_Win_create", 2), "");
  EXPECT_EQ(how("MPI_Win_fence", 2), "");
  EXPECT_EQ(how("MPI_Win_fence", 3), "as of two ranks for each doubling of the ranks");
  EXPECT_EQ(how("MPI_Accumulate", 2), "at the cost of MPI_SUM of 64-bit integers");
  EXPECT_EQ(how("MPI_Get_accumulate", 2), "at the cost of MPI_SUM of 64-bit integers");
  EXPECT_EQ(how("MPI_Fetch_and_op", 2), "at the cost of MPI_SUM of 64-bit integers by MPI_Get_accumulate");
  EXPECT_EQ(how("MPI_Compare_and_swap", 2), "at the cost of MPI_SUM of 64-bit integers by MPI_Get_accumulate");
  for (const char* name : {"MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"})
    EXPECT_EQ(how(name, 2), "at the cost of MPI_Win_create") << name;
  EXPECT_EQ(how("MPI_Win_allocate", 4),
            "at the cost of MPI_Win_create, as of two ranks for each doubling of the ranks");
  EXPECT_EQ(how("MPI_Win_lock", 2), "");
  EXPECT_EQ(how("MPI_Win_lock", 2, true), "a shared lock at the cost of an exclusive one");
  EXPECT_EQ(how("MPI_Win_unlock", 2), "");
}

}  // namespace
}  // namespace mora::predict
