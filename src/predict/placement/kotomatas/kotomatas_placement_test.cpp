/// The system and the placements of Kotomatas 2018, Figures 5.2 to 5.8 (T-HOST, T-MAP-1 to 4), and further cases on it.
#include "predict/placement/kotomatas/kotomatas_placement.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/placement/physical_rankfile.h"

namespace mora::predict {
namespace {

constexpr const char* host_text =
    "# the nodes of Figure 5.2\nnode0\nnode1 slots=2 #cores=3 # three cores a slot\nnode2 slots=2 maxSlots=2\n\n"
    "node3 slots=5 maxSlots=20\n";

KotomatasCluster figure_cluster() {
  KotomatasSystem system;
  system.hostfile = parse_hostfile(host_text, "H").value();
  return make_cluster(system).value();
}

std::string placement_text(const KotomatasCluster& cluster, const std::vector<Place>& places) {
  return predict::placement_text(to_placement(cluster, places));
}

/// "0:0:1" per rank, node as a number.
std::string short_text(const std::vector<Place>& places) {
  std::string out;
  for (const Place& p : places) {
    out += (out.empty() ? "" : " ") + std::string(p.round > 0 ? "o" : "") + std::to_string(p.core) + ':' +
           std::to_string(p.slot) + ':' + std::to_string(p.node);
  }
  return out;
}

std::string placed(std::uint32_t processes, By map_by, By rank_by) {
  return short_text(place(figure_cluster(), {processes, map_by, 1, rank_by}).value());
}

TEST(ThesisPlacement, HostfileOfTheFigure) {
  const KotomatasCluster cluster = figure_cluster();
  ASSERT_EQ(cluster.size(), 4u);
  EXPECT_EQ(cluster[0].slots, 1u);
  EXPECT_EQ(cluster[1].slots, 2u);
  EXPECT_EQ(cluster[1].cores_per_slot, 3u);
  EXPECT_EQ(cluster[3].slots, 5u);
  const std::string text = picture(cluster);
  EXPECT_NE(text.find("    Core id=2:1:node1\n"), std::string::npos);
  EXPECT_TRUE(
      text.starts_with("#####SIMULATION ENV#####\nNode id=node0\n  Slot id=0\n    Core id=0:0:node0\nNode id=node1\n"));
  EXPECT_TRUE(text.ends_with("    Core id=0:4:node3\n#####\n"));
}

TEST(ThesisPlacement, Figure55ByNode) {
  EXPECT_EQ(placement_text(figure_cluster(), place(figure_cluster(), {8, By::node, 1, By::node}).value()),
            "0 0:0:node0\n1 0:0:node1\n2 0:0:node2\n3 0:0:node3\n4 1:0:node1\n5 2:0:node1\n6 0:1:node2\n7 0:1:node3\n");
}

TEST(ThesisPlacement, Figure56MapByCoreRankBySlot) {
  EXPECT_EQ(placement_text(figure_cluster(), place(figure_cluster(), {8, By::core, 1, By::slot}).value()),
            "0 0:0:node0\n1 0:0:node1\n2 0:1:node1\n3 0:0:node2\n4 1:0:node1\n5 1:1:node1\n6 2:0:node1\n7 2:1:node1\n");
}

TEST(ThesisPlacement, Figure57FromAnswers) {
  KotomatasSystem system;
  system.nodes = 2;
  system.slots_per_node = 8;
  const KotomatasCluster cluster = make_cluster(system).value();
  EXPECT_EQ(placement_text(cluster, place(cluster, {4}).value()),
            "0 0:0:node0\n1 0:1:node0\n2 0:0:node1\n3 0:1:node1\n");
}

TEST(ThesisPlacement, Figure58Rankfile) {
  const auto ranks = parse_physical_rankfile("rank 1=bb slot=8\nrank 0=aa slot=1\nrank 2=cc slot=6\n", "R").value();
  std::string text;  // as the figure has it: core 0 of the slot
  for (const PhysicalRank& r : ranks) text += fmt::format("{} 0:{}:{}\n", r.rank, r.slot, r.host);
  EXPECT_EQ(text, "0 0:1:aa\n1 0:8:bb\n2 0:6:cc\n");
}

TEST(ThesisPlacement, RankfileCountsCoresThroughAllSlots) {
  const auto places = place(figure_cluster(), {8, By::core, 1, By::slot}).value();
  EXPECT_EQ(rankfile_text(figure_cluster(), places),
            "rank 0=node0 slot=0\nrank 1=node1 slot=0\nrank 2=node1 slot=3\nrank 3=node2 slot=0\nrank 4=node1 slot=1\n"
            "rank 5=node1 slot=4\nrank 6=node1 slot=2\nrank 7=node1 slot=5\n");
}

TEST(ThesisPlacement, DerivedOracles5To10) {
  EXPECT_EQ(placed(8, By::node, By::slot), "0:0:0 0:0:1 0:0:2 0:1:2 0:0:3 0:1:3 1:0:1 2:0:1");
  EXPECT_EQ(placed(8, By::node, By::core), "0:0:0 0:0:1 1:0:1 2:0:1 0:0:2 0:1:2 0:0:3 0:1:3");
  EXPECT_EQ(placed(8, By::slot, By::node), "0:0:0 0:0:1 0:0:2 0:0:3 0:1:1 0:1:2 0:1:3 0:2:3");
  EXPECT_EQ(placed(8, By::slot, By::slot), "0:0:0 0:0:1 0:1:1 0:0:2 0:1:2 0:0:3 0:1:3 0:2:3");
  EXPECT_EQ(placed(8, By::slot, By::core), placed(8, By::slot, By::slot));
  EXPECT_EQ(placed(8, By::core, By::node), "0:0:0 0:0:1 0:0:2 1:0:1 2:0:1 0:1:1 1:1:1 2:1:1");
  EXPECT_EQ(placed(8, By::core, By::core), "0:0:0 0:0:1 1:0:1 2:0:1 0:1:1 1:1:1 2:1:1 0:0:2");
}

TEST(ThesisPlacement, DerivedOracles11And12Ppr) {
  EXPECT_EQ(short_text(map_cores(figure_cluster(), {8, By::node, 2})),
            "0:0:0 0:0:1 1:0:1 0:0:2 0:1:2 0:0:3 0:1:3 2:0:1");
  EXPECT_EQ(short_text(map_cores(figure_cluster(), {8, By::slot, 2})),
            "0:0:0 0:0:1 1:0:1 0:1:1 1:1:1 0:0:2 0:1:2 0:0:3");
}

TEST(ThesisPlacement, Oversubscription13And16) {
  const std::string text = placed(16, By::core, By::core);
  EXPECT_TRUE(text.ends_with("0:4:3 o0:0:0 o0:0:1")) << text;
  const auto refused = place(figure_cluster(), {16, By::node, 1, By::slot, false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().why, "16 processes, 14 cores");
  EXPECT_TRUE(place(figure_cluster(), {14, By::node, 1, By::slot, false}));
}

TEST(ThesisPlacement, AllCores14) {
  EXPECT_EQ(placed(14, By::node, By::node),
            "0:0:0 0:0:1 0:0:2 0:0:3 1:0:1 2:0:1 0:1:1 0:1:2 0:1:3 1:1:1 2:1:1 0:2:3 0:3:3 0:4:3");
}

TEST(ThesisPlacement, NumbersAreSortedAsNumbers17And18) {
  KotomatasSystem system;
  system.hosts = {"n2", "n10", "n1"};
  system.slots_per_node = 1;
  EXPECT_EQ(placement_text(make_cluster(system).value(), place(make_cluster(system).value(), {3}).value()),
            "0 0:0:n2\n1 0:0:n10\n2 0:0:n1\n");
  system.hosts = {"a", "a"};
  system.slots_per_node = 12;
  const KotomatasCluster twelve = make_cluster(system).value();
  ASSERT_EQ(twelve.size(), 1u);
  EXPECT_EQ(short_text(place(twelve, {12, By::core, 1, By::core}).value()),
            "0:0:0 0:1:0 0:2:0 0:3:0 0:4:0 0:5:0 0:6:0 0:7:0 0:8:0 0:9:0 0:10:0 0:11:0");
}

TEST(ThesisPlacement, UnknownHost19) {
  KotomatasSystem system;
  system.hostfile = parse_hostfile(host_text, "H").value();
  system.hosts = {"node1", "nodeX"};
  const auto refused = make_cluster(system);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "--host nodeX");
}

TEST(Hostfile, ANameAgainIsOneSlotMore) {
  const auto entries = parse_hostfile("a\nb slots=2\na\nb max-slots=5\na\n", "H").value();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].slots, 3u);
  EXPECT_EQ(entries[1].slots, 3u);
  EXPECT_EQ(entries[1].max_slots, 5u);
}

TEST(ThesisPlacement, MaxSlotsBind) {
  KotomatasSystem system;
  system.hostfile = parse_hostfile("a slots=1\nb slots=1 max-slots=2\n", "H").value();
  const KotomatasCluster cluster = make_cluster(system).value();
  KotomatasRequest request;
  request.processes = 7;
  std::array<int, 2> ranks = {0, 0};
  const auto unequal = place(cluster, request).value();
  for (const Place& p : unequal) ++ranks[p.node];
  EXPECT_EQ(ranks, (std::array<int, 2>{5, 2}));

  // Two of b's three slots are lent in the second round: 5 of 2 cores each.
  system.hostfile = parse_hostfile("b slots=3 max-slots=5 #cores=2\n", "H").value();
  const KotomatasCluster only = make_cluster(system).value();
  for (const By by : {By::node, By::slot, By::core}) {
    request.map_by = by;
    request.processes = 10;
    const auto places = place(only, request).value();
    EXPECT_EQ(places.size(), 10u);
    EXPECT_EQ(std::count_if(places.begin(), places.end(), [](const Place& p) { return p.round == 1; }), 4);
    request.processes = 11;
    EXPECT_EQ(place(only, request).error().why, "11 processes, max-slots allow 10");
  }
}

TEST(Hostfile, DamageIsNamed) {
  const auto where = [](const char* text) { return parse_hostfile(text, "H").error().where; };
  EXPECT_EQ(where("a slots=2\nb slots=x\n"), "H:2:3");
  EXPECT_EQ(where("a  solts=2\n"), "H:1:4");
  EXPECT_EQ(where("a 4\n"), "H:1:3");
  EXPECT_EQ(where("slots=4\n"), "H:1:1");
  EXPECT_EQ(where("a slots=4 max-slots=2\n"), "H:1:11");
  EXPECT_EQ(where("a slots=2\nb\na slots=3\n"), "H:3:3");
  EXPECT_EQ(where("a #cores=2\na #cores=3\n"), "H:2:1");
  EXPECT_EQ(where("a max-slots=2\na\n"), "H:2:1");
  EXPECT_EQ(where("a #cores=0\n"), "H:1:3");
  EXPECT_EQ(where("a slots=99999999999\n"), "H:1:3");
  EXPECT_EQ(parse_hostfile("a #cores{4}\n", "H").value()[0].cores_per_slot, 4u);
  EXPECT_TRUE(parse_hostfile("\n# only a comment", "H").value().empty());
}

TEST(PhysicalRankfile, DamageIsNamed) {
  const auto error = [](const char* text) { return parse_physical_rankfile(text, "R").error(); };
  EXPECT_EQ(error("rank 0=aa slot=1:0-2\n").where, "R:1:11");
  EXPECT_NE(error("rank 0=aa slot=1:0-2\n").why.find("--mode openmpi"), std::string::npos);
  EXPECT_EQ(error("rank 0 aa\n").where, "R:1:6");
  EXPECT_EQ(error("rank 0=a slot=1\nrank 0=b slot=1\n").where, "R:2:6");
  EXPECT_EQ(error("node 0=a slot=1\n").where, "R:1:1");
}

}  // namespace
}  // namespace mora::predict
