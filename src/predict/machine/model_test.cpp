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
  EXPECT_EQ(message_time(model, Locality::same_node, 0), 300);
  EXPECT_EQ(message_time(model, Locality::same_node, 15), 302);  // 301.5
  EXPECT_EQ(message_time(model, Locality::other_node, 1000), 2500);
  EXPECT_EQ(message_time(model, Locality::other_node, 1001), 4250);  // 4250.25
  EXPECT_EQ(message_time(model, Locality::other_node, UINT64_MAX), INT64_MAX / 4);
  EXPECT_EQ(messages_time(model, Locality::other_node, 0, 0), 0);
  EXPECT_EQ(messages_time(model, Locality::other_node, 10, 10000), 25000);  // mean 1000: first segment
  EXPECT_EQ(messages_time(model, Locality::other_node, 10, 20000), 45000);  // mean 2000: second
}

TEST(MachineModel, DamageIsNamed) {
  const auto why = [](std::string json) { return parse_machine_model(json, "M").error().why; };
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string json = text;
    return json.replace(json.find(from), from.size(), to);
  };
  EXPECT_EQ(why("{"), "it is not JSON: byte 2");
  EXPECT_EQ(why("[]"), "it is not a JSON object");
  EXPECT_EQ(why("{}"), "\"format\" is not \"mora-machine 1\"");
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
