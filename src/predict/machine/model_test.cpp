#include "predict/machine/model.h"

#include <gtest/gtest.h>

namespace mora::predict {
namespace {

constexpr const char* text = R"({"format": "mora-machine 1", "name": "two nodes",
  "same_node": [{"latency_ns": 300, "ns_per_byte": 0.1}],
  "other_node": [{"up_to_bytes": 1000, "latency_ns": 1500, "ns_per_byte": 1}, {"latency_ns": 4000, "ns_per_byte": 0.25}]})";

TEST(MachineModel, CostsByLevelAndSize) {
  const MachineModel model = parse_machine_model(text, "M").value();
  EXPECT_EQ(model.name, "two nodes");
  EXPECT_EQ(messages_time(model, Locality::same_node, 1, 0), 300);
  EXPECT_EQ(messages_time(model, Locality::same_node, 1, 15), 302);  // 301.5
  EXPECT_EQ(messages_time(model, Locality::other_node, 1, 1000), 2500);
  EXPECT_EQ(messages_time(model, Locality::other_node, 1, 1001), 4250);  // 4250.25
  EXPECT_EQ(messages_time(model, Locality::other_node, 1, UINT64_MAX), INT64_MAX / 4);
  EXPECT_EQ(messages_time(model, Locality::other_node, 0, 0), 0);
  EXPECT_EQ(messages_time(model, Locality::other_node, 10, 10000), 25000);  // mean 1000: first segment
  EXPECT_EQ(messages_time(model, Locality::other_node, 10, 20000), 45000);  // mean 2000: second
}

constexpr const char* second = R"({"format": "mora-machine 2", "mpi": "Open MPI", "calibration": {"seed": 1},
  "same_package": {"model": "piecewise", "measured_up_to_bytes": 4194304, "segments": [
    {"up_to_bytes": 4040, "protocol": "eager", "send_overhead_ns": 100, "send_overhead_ns_per_byte": 0.1,
     "receive_overhead_ns": 50, "latency_ns": 300, "ns_per_byte": 0.25, "gap_ns": 20, "relative_error": 0.05},
    {"protocol": "rendezvous", "latency_ns": 2000, "ns_per_byte": 0.5}]},
  "other_node": {"model": "loggp", "latency_ns": 1000, "overhead_ns": 200, "gap_ns": 300, "gap_ns_per_byte": 2,
                 "eager_up_to_bytes": 100}})";

TEST(MachineModel, EachModelHasItsFormula) {
  const MachineModel m = parse_machine_model(second, "M").value();
  EXPECT_EQ(m.mpi, "Open MPI");
  const MessageModel& near = *m.find(Locality::same_package);
  EXPECT_EQ(near.measured_up_to(), 4194304U);
  replay::MessageCost c = message_cost(near, 1000);
  EXPECT_EQ(c.send_overhead, 200);
  EXPECT_EQ(c.receive_overhead, 50);
  EXPECT_EQ(c.latency, 300);
  EXPECT_EQ(c.port, 250);
  EXPECT_EQ(c.gap, 20);
  EXPECT_FALSE(c.rendezvous);
  EXPECT_EQ(messages_time(m, Locality::same_package, 1, 1000), 800);
  EXPECT_TRUE(message_cost(near, 4041).rendezvous);
  // Of the sender's 200 the half is for the bytes.
  c = message_cost(near, 1000, {3, 2, 0.5});
  EXPECT_EQ(c.send_overhead, 50 + 200);
  EXPECT_EQ(c.latency, 900);
  EXPECT_EQ(c.port, 500);
  // LogGP: o + L + (m-1) G + o, then g + (m-1) G.
  const MessageModel& far = *m.find(Locality::other_node);
  c = message_cost(far, 51);
  EXPECT_EQ(c.send_overhead + c.latency + c.port + c.receive_overhead, 200 + 1000 + 50 * 2 + 200);
  EXPECT_EQ(c.gap, 300 + 50 * 2);
  EXPECT_TRUE(message_cost(far, 101).rendezvous);
  EXPECT_EQ(messages_time(m, Locality::other_node, 1, 0), 1400);
  // 1400 for nothing, 200 + 1000 + (2^20-1) 2 + 200 for 1 MiB.
  EXPECT_EQ(message_cost(hockney_of(far), 0).latency, 1400);
  EXPECT_EQ(message_cost(hockney_of(far), 1 << 20).port, 2 * ((1 << 20) - 1));
}

TEST(MachineModel, AMissingClassOnTheNodeIsTheNextOne) {
  const MachineModel m = parse_machine_model(second, "M").value();
  EXPECT_EQ(m.find(Locality::same_core), m.find(Locality::same_package));
  EXPECT_EQ(m.find(Locality::same_node), m.find(Locality::same_package));
  const MachineModel far =
      parse_machine_model(
          R"({"format": "mora-machine 2", "other_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 2}})", "M")
          .value();
  EXPECT_EQ(far.find(Locality::same_node), nullptr);
  EXPECT_EQ(messages_time(far, Locality::other_node, 1, 10), 21);
}

TEST(MachineModel, WhatIsSharedMayBeThere) {
  const auto with = [](const std::string& shared) {
    return parse_machine_model(R"({"format": "mora-machine 2", "shared": )" + shared +
                                   R"(, "other_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 2}})",
                               "M");
  };
  const MachineModel m = with(R"({"connection_ns_per_byte": 0.08, "memory_ns_per_byte": 0.02})").value();
  EXPECT_EQ(m.shared.connection_ns_per_byte, 0.08);
  EXPECT_EQ(m.shared.memory_ns_per_byte, 0.02);
  EXPECT_EQ(with("{}").value().shared.connection_ns_per_byte, 0);
  EXPECT_EQ(with("3").error().why, "shared is not an object");
  EXPECT_EQ(with(R"({"memory_ns_per_byte": -1})").error().why, "memory_ns_per_byte of shared is negative");
  EXPECT_EQ(with(R"({"nic_ns_per_byte": 1})").error().why, "shared has an unknown key nic_ns_per_byte");
  EXPECT_EQ(parse_machine_model(text, "M").value().shared.connection_ns_per_byte, 0);
  std::string old = text;
  old.replace(old.find("\"name\""), 0, "\"shared\": {}, ");
  EXPECT_EQ(parse_machine_model(old, "M").error().why, "unknown key shared");
}

TEST(MachineModel, OneSidedCallsMayBeThere) {
  const auto with = [](const std::string& calls) {
    return parse_machine_model(
        R"({"format": "mora-machine 2", "same_package": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 2,
          "one_sided": )" +
            calls + "}}",
        "M");
  };
  const auto of = [](const MachineModel& m, replay::WindowCall call) {
    return m.windows[static_cast<std::size_t>(Locality::same_package)][static_cast<std::size_t>(call)];
  };
  const MachineModel m = with(R"({"measured_up_to_bytes": 4096,
    "put": [{"up_to_bytes": 100, "overhead_ns": 30, "overhead_ns_per_byte": 0.5, "latency_ns": 200, "ns_per_byte": 0.25,
             "relative_error": 0.1}, {"latency_ns": 900, "ns_per_byte": 0.125}],
    "flush": [{"overhead_ns": 40}]})")
                             .value();
  const auto put = of(m, replay::WindowCall::put);
  ASSERT_NE(put, nullptr);
  EXPECT_EQ(put->measured_up_to(), 4096U);
  EXPECT_EQ(put->at(100).relative_error, 0.1);
  const replay::MessageCost small = message_cost(*put, 80), large = message_cost(*put, 800);
  EXPECT_EQ(small.send_overhead, 70);
  EXPECT_EQ(small.latency, 200);
  EXPECT_EQ(small.port, 20);
  EXPECT_EQ(large.send_overhead, 0);
  EXPECT_EQ(large.port, 100);
  EXPECT_EQ(message_cost(*of(m, replay::WindowCall::flush), 0).send_overhead, 40);
  EXPECT_EQ(of(m, replay::WindowCall::get), nullptr);
  EXPECT_EQ(m.index_of(Locality::same_node), m.index_of(Locality::same_core));
  EXPECT_EQ(m.index_of(Locality::other_node), std::nullopt);
  EXPECT_EQ(of(parse_machine_model(second, "M").value(), replay::WindowCall::put), nullptr);
  EXPECT_EQ(with("3").error().why, "one_sided of same_package is not an object");
  EXPECT_EQ(with(R"({"putt": []})").error().why, "one_sided of same_package has an unknown key putt");
  EXPECT_EQ(with(R"({"none": [{}]})").error().why, "one_sided of same_package has an unknown key none");
  EXPECT_EQ(with(R"({"put": []})").error().why, "put of one_sided of same_package is not a list of segments");
  EXPECT_EQ(with(R"({"lock": [{"latency_ns": -1}]})").error().why,
            "latency_ns of segment 1 of lock of one_sided of same_package is negative");
  EXPECT_EQ(with(R"({"lock": [{"gap_ns": 1}]})").error().why,
            "segment 1 of lock of one_sided of same_package has an unknown key gap_ns");
}

TEST(MachineModel, DamageOfTheSecondVersionIsNamed) {
  const auto why = [](const std::string& from, const std::string& to) {
    std::string json = second;
    json.replace(json.find(from), from.size(), to);
    return parse_machine_model(json, "M").error().why;
  };
  EXPECT_EQ(why("\"loggp\"", "\"logp\""), "model of other_node is none of \"hockney\", \"loggp\", \"piecewise\"");
  EXPECT_EQ(why("\"eager\"", "\"eagre\""),
            "protocol of segment 1 of same_package is neither \"eager\" nor \"rendezvous\"");
  EXPECT_EQ(why("{\"protocol\": \"rendezvous\", ", "{\"protocoll\": \"rendezvous\", "),
            "segment 2 of same_package has an unknown key protocoll");
  EXPECT_EQ(why("\"overhead_ns\": 200, ", ""), "other_node has no overhead_ns");
  EXPECT_EQ(why("\"gap_ns\": 300", "\"gap_ns\": -3"), "gap_ns of other_node is negative");
  EXPECT_EQ(why("\"other_node\"", "\"other_nodes\""), "unknown key other_nodes");
  EXPECT_EQ(parse_machine_model("{\"format\": \"mora-machine 2\"}", "M").error().why,
            "it has none of same_core, same_package, same_node, other_node");
}

TEST(MachineModel, DamageIsNamed) {
  const auto why = [](const std::string& json) { return parse_machine_model(json, "M").error().why; };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string json = text;
    return json.replace(json.find(from), from.size(), to);
  };
  EXPECT_EQ(why("{"), "it is not JSON: byte 2");
  EXPECT_EQ(why("[]"), "it is not a JSON object");
  EXPECT_EQ(why("{}"), "\"format\" is neither \"mora-machine 1\" nor \"mora-machine 2\"");
  EXPECT_EQ(why("{\"format\": \"mora-machine 1\"}"), "it has no same_node");
  EXPECT_EQ(why(changed("\"name\"", "\"nmae\"")), "unknown key nmae");
  EXPECT_EQ(why(changed("300", "-3")), "latency_ns of segment 1 of same_node is negative");
  EXPECT_EQ(why(changed("300", "\"3\"")), "latency_ns of segment 1 of same_node is not a number");
  EXPECT_EQ(why(changed("\"up_to_bytes\": 1000, ", "")), "segment 1 of other_node: up_to_bytes is missing");
  EXPECT_EQ(why(changed("{\"latency_ns\": 4000", "{\"up_to_bytes\": 7, \"latency_ns\": 4000")),
            "segment 2 of other_node: the last segment has no up_to_bytes");
  EXPECT_EQ(why(changed("{\"latency_ns\": 4000, ",
                        "{\"up_to_bytes\": 7, \"latency_ns\": 4000, \"ns_per_byte\": 1}, {\"latency_ns\": 4000, ")),
            "segment 2 of other_node ends before the one before it");
  EXPECT_EQ(why(changed("\"latency_ns\": 4000, ", "")), "segment 2 of other_node has no latency_ns");
  EXPECT_EQ(why(changed("\"ns_per_byte\": 0.25", "\"ns_per_byte\": 0.25, \"x\": 1")),
            "segment 2 of other_node has an unknown key x");
}

}  // namespace
}  // namespace mora::predict
