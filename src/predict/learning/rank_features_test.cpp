// What each rank communicates, counted by hand.
#include "predict/learning/rank_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/learning/machine_match.h"
#include "support/pattern/matrix_sample.h"

namespace mora::predict {
namespace {

constexpr const char* torus = R"({"format": "mora-machine 2", "same_node": {"model": "hockney", "latency_ns": 1,
  "ns_per_byte": 1}, "other_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 1},
  "topology": {"kind": "torus", "extents": [8], "hop_latency_ns": 1}})";

double of(const FeatureRow& row, RankFeature feature) { return row[static_cast<std::size_t>(feature)]; }

/// Node 0: ranks 0 to 2; node 1: rank 3; node 3: rank 4. A message of n bytes has a volume of n + 1.
Result<std::vector<FeatureRow>> sample_rows() {
  SampleJob job(5);
  const auto message = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    job.send(from, static_cast<std::int32_t>(to), bytes);
    job.receive(to, static_cast<std::int32_t>(from), bytes);
  };
  message(0, 1, 63);
  message(0, 3, 63);
  message(1, 3, 63);
  message(2, 4, 127);
  RankPlaces places;
  places.node = {0, 0, 0, 1, 3};
  const MachineModel machine = parse_machine_model(torus, "torus.json").value();
  return rank_features(job.finish(), places, machine, CollectiveModel::linear);
}

TEST(RankFeatures, OfTheProgram) {
  const auto rows = sample_rows();
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 5U);
  const FeatureRow& zero = (*rows)[0];
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::ranks), std::log2(5));
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::messages), 1);
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::message_bytes), std::log2(63));
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::partners), 1);
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::collective_share), 0);
  // Its volume is 128; all have 2 x (64 + 64 + 64 + 128).
  EXPECT_DOUBLE_EQ(of(zero, RankFeature::imbalance), std::log2(128 / (640 / 5.0)));
}

TEST(RankFeatures, OfRanksOnNodes) {
  const auto rows = sample_rows();
  ASSERT_TRUE(rows);
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::node_ranks), std::log2(3));
  EXPECT_DOUBLE_EQ(of((*rows)[3], RankFeature::node_ranks), 0);
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::between_nodes_share), 0.5);
  EXPECT_DOUBLE_EQ(of((*rows)[2], RankFeature::between_nodes_share), 1);
  // 256 leave node 0; rank 0 sends 64 of them, rank 2 128: no more than three ranks can share.
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::connection_contention), std::log2(3));
  EXPECT_DOUBLE_EQ(of((*rows)[2], RankFeature::connection_contention), 1);
  EXPECT_DOUBLE_EQ(of((*rows)[3], RankFeature::connection_contention), 0);
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::memory_contention), 1) << "sender and receiver";
  EXPECT_DOUBLE_EQ(of((*rows)[2], RankFeature::memory_contention), 0) << "it has no part in it";
}

TEST(RankFeatures, OfNodesInTheNetwork) {
  const auto rows = sample_rows();
  ASSERT_TRUE(rows);
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::links), 0.5) << "half of it one link";
  EXPECT_DOUBLE_EQ(of((*rows)[4], RankFeature::links), 3);
  // The link from node 0 to 1 has all 256.
  EXPECT_DOUBLE_EQ(of((*rows)[3], RankFeature::link_contention), 1);
  EXPECT_DOUBLE_EQ(of((*rows)[4], RankFeature::link_contention), 1);
  EXPECT_DOUBLE_EQ(of((*rows)[0], RankFeature::link_contention), 2);
}

TEST(RankFeatures, HaveUniqueNamesAndCategories) {
  std::set<std::string_view> names;
  for (const FeatureInfo& info : rank_feature_table()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.category >= 'A' && info.category <= 'C');
  }
  EXPECT_EQ(rank_feature_table()[static_cast<std::size_t>(RankFeature::link_contention)].name, "link_contention");
  EXPECT_EQ(rank_feature_table()[static_cast<std::size_t>(RankFeature::node_ranks)].name, "node_ranks");
}

TEST(MachineMatch, DigestsTellCostsApartNotLayout) {
  const std::string same = R"({"name":"other","calibration":{"host":"a"},"same_node":{"ns_per_byte":1}})";
  const std::string costs = R"({"same_node": {"ns_per_byte": 1}})";
  EXPECT_EQ(machine_digest(same), machine_digest(costs));
  EXPECT_NE(machine_digest(costs), machine_digest(R"({"same_node": {"ns_per_byte": 2}})"));
}

TEST(MachineMatch, HostsOfOneClusterAreOneMachine) {
  EXPECT_EQ(measured_host(R"({"calibration": {"host": "node07"}})"), "node07");
  EXPECT_EQ(measured_host("{}"), "");
  EXPECT_TRUE(may_be_of("node07", {{"node12.cluster.org"}}));
  EXPECT_TRUE(may_be_of("laptop", {{"laptop"}}));
  EXPECT_FALSE(may_be_of("laptop", {{"node12"}}));
  EXPECT_TRUE(may_be_of("", {{"node12"}}));
  EXPECT_TRUE(may_be_of("laptop", {{""}}));
}

}  // namespace
}  // namespace mora::predict
