/// Small placements whose result can be worked out by hand from mpirun(1), and what is refused. Thousands more, with
/// the real mpirun's own answers, are in tests/map/oracle.
#include "predict/placement/openmpi/openmpi_placement.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace mora::predict::openmpi {
namespace {

constexpr const char* uneven = "a slots=4\nb slots=2\nc slots=3\n";

OpenMpiRequest request(const std::string& words, const std::string& hostfile = uneven,
                       const std::string& topology = "pack:2 core:4 pu:2") {
  OpenMpiRequest made;
  std::istringstream all(words);
  for (std::string word; all >> word;) made.words.push_back(word);
  if (!hostfile.empty()) {
    made.words.insert(made.words.begin(), {"--hostfile", "H"});
    made.files["H"] = hostfile;
  }
  if (!topology.empty()) made.topology = load_topology(topology).value();
  return made;
}

/// "a 0 3 6 7, b 1 4": ranks of each node in their order.
std::string nodes_of(const OpenMpiRequest& made) {
  const auto placed = place_openmpi(made);
  if (!placed) return placed.error().text();
  std::string text;
  for (const NodePlace& node : placed->nodes) {
    text += (text.empty() ? "" : ", ") + node.name;
    for (std::uint32_t rank = 0; rank < placed->ranks.size(); ++rank) {
      if (placed->nodes[placed->ranks[rank].node].name == node.name) text += ' ' + std::to_string(rank);
    }
  }
  return text;
}

std::string kind_of(const OpenMpiRequest& made) {
  const auto placed = place_openmpi(made);
  return placed ? "accepted" : placed.error().why;
}

std::string bound(const OpenMpiRequest& made, std::uint32_t rank) {
  return place_openmpi(made).value().ranks[rank].bound;
}

TEST(OpenMpiPlacement, NodesAreFilledAsTheRequestFillsThem) {
  const std::string nodes = "a slots=8\nb slots=8\n", inside = "pack:2 core:4 pu:1";
  for (const char* words : {"-np 8 --map-by ppr:4:node:pe=2", "-np 8 --map-by ppr:2:socket --bind-to core",
                            "-np 10 --map-by socket --bind-to core", "-np 9 --bind-to none", "-np 2", "-np 16",
                            "-np 8 --map-by node --rank-by core --bind-to hwthread", "-np 12 --map-by core:span",
                            "-np 20 --oversubscribe"}) {
    const OpenMpiRequest asked = request(words, nodes, inside);
    const OpenMpiPlacement whole = place_openmpi(asked).value();
    const NodeFilling filling = NodeFilling::of(asked).value();
    for (const NodePlace& node : whole.nodes) {
      const auto filled = filling.places(node.name, static_cast<std::uint32_t>(node.ranks.size())).value();
      std::vector<std::uint32_t> ranks = node.ranks;
      std::sort(ranks.begin(), ranks.end());
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        EXPECT_EQ(filled.ranks[r].hwthreads, whole.ranks[ranks[r]].hwthreads) << words << " rank " << ranks[r];
        EXPECT_EQ(filled.ranks[r].locale, whole.ranks[ranks[r]].locale) << words << " rank " << ranks[r];
      }
    }
  }
  const NodeFilling four = NodeFilling::of(request("-np 8 --map-by ppr:4:node:pe=2", nodes, inside)).value();
  EXPECT_TRUE(four.places("b", 4));
  EXPECT_FALSE(four.places("b", 5));
  EXPECT_FALSE(four.places("c", 1));
}

TEST(OpenMpiPlacement, by_slot_fills_a_node_before_the_next) {
  EXPECT_EQ(nodes_of(request("-np 8 --map-by slot")), "a 0 1 2 3, b 4 5, c 6 7");
}

TEST(OpenMpiPlacement, by_node_shares_evenly_and_a_full_node_leaves_its_share_to_the_others) {
  EXPECT_EQ(nodes_of(request("-np 8 --map-by node")), "a 0 3 6 7, b 1 4, c 2 5");
}

TEST(OpenMpiPlacement, by_objects_goes_round_those_of_a_node) {
  const OpenMpiRequest made = request("-np 8 --map-by socket --bind-to core");
  EXPECT_EQ(nodes_of(made), "a 0 1 2 3, b 4 5, c 6 7");
  EXPECT_EQ(bound(made, 0), "socket 0[core 0[hwt 0-1]]");
  EXPECT_EQ(bound(made, 1), "socket 1[core 4[hwt 0-1]]");
  EXPECT_EQ(bound(made, 2), "socket 0[core 1[hwt 0-1]]");
}

TEST(OpenMpiPlacement, span_takes_all_objects_of_all_nodes) {
  EXPECT_EQ(nodes_of(request("-np 6 --map-by socket:span")), "a 0 1, b 2 3, c 4 5");
}

TEST(OpenMpiPlacement, a_pattern_per_object) {
  EXPECT_EQ(nodes_of(request("--map-by ppr:2:node")), "a 0 1, b 2 3, c 4 5");
  EXPECT_EQ(nodes_of(request("-npernode 2")), "a 0 1, b 2 3, c 4 5");
  EXPECT_EQ(kind_of(request("-np 7 --map-by ppr:2:node")), "too many ranks for the pattern");
  EXPECT_EQ(kind_of(request("--map-by ppr:2:socket")), "not enough slots");
}

TEST(OpenMpiPlacement, ranks_by_node_and_by_slot_of_the_same_map) {
  EXPECT_EQ(nodes_of(request("-np 8 --map-by slot --rank-by node")), "a 0 3 6 7, b 1 4, c 2 5");
  EXPECT_EQ(nodes_of(request("-np 8 --map-by node --rank-by slot")), "a 0 1 2 3, b 4 5, c 6 7");
}

TEST(OpenMpiPlacement, without_a_number_as_many_as_slots) {
  EXPECT_EQ(place_openmpi(request("--map-by node")).value().ranks.size(), 9U);
}

TEST(OpenMpiPlacement, more_ranks_than_slots_only_if_allowed) {
  EXPECT_EQ(kind_of(request("-np 10")), "not enough slots");
  EXPECT_EQ(kind_of(request("-np 10 --nooversubscribe")), "not enough slots");
  EXPECT_EQ(nodes_of(request("-np 12 --map-by slot --oversubscribe")), "a 0 1 2 3 4, b 5 6 7, c 8 9 10 11");
  const auto placed = place_openmpi(request("-np 10 --map-by slot --oversubscribe")).value();
  EXPECT_TRUE(placed.nodes[0].oversubscribed);
  EXPECT_FALSE(placed.nodes[1].oversubscribed);
  EXPECT_EQ(placed.ranks[0].bound, "N/A");  // nobody is bound then, unless binding is asked for
}

TEST(OpenMpiPlacement, several_cpus_for_a_rank) {
  EXPECT_EQ(bound(request("-np 2 --map-by slot:pe=3", "a slots=3\n"), 1),
            "socket 0[core 3[hwt 0-1]], socket 1[core 4[hwt 0-1]], socket 1[core 5[hwt 0-1]]");
  EXPECT_EQ(kind_of(request("-np 3 --map-by slot:pe=3", "a slots=3\n")), "no cpus");
}

TEST(OpenMpiPlacement, hosts_instead_of_a_hostfile) {
  EXPECT_EQ(nodes_of(request("-np 3 --host b:2,a", "")), "b 0 1, a 2");
  EXPECT_EQ(nodes_of(request("-np 3 --host b,a,b", "")), "b 0 1, a 2");
  EXPECT_EQ(nodes_of(request("-np 3 --host +n2")), "c 0 1 2");
  EXPECT_EQ(kind_of(request("-np 3 --host +n3")), "no hosts");
}

TEST(OpenMpiPlacement, slots_that_are_not_told_are_cores) {
  EXPECT_EQ(nodes_of(request("-np 9 --map-by slot", "a\nb\n")), "a 0 1 2 3 4 5 6 7, b 8");
  EXPECT_EQ(nodes_of(request("-np 3 --map-by slot", "a\nb slots=1\na\n")), "a 0 1, b 2");
  EXPECT_EQ(place_openmpi(request("-np 9", "a\nb\n", "")).error().what, "the slots of node a are not known");
}

TEST(OpenMpiPlacement, the_node_of_mpirun_comes_first) {
  EXPECT_EQ(nodes_of(request("-np 3 --map-by slot", "a slots=1\nlocalhost slots=1\nb slots=1\n")),
            "localhost 0, a 1, b 2");
  EXPECT_EQ(nodes_of(request("-np 2 --map-by slot --nolocal", "a slots=1\nlocalhost slots=1\nb slots=1\n")),
            "a 0, b 1");
}

TEST(OpenMpiPlacement, a_granted_allocation_is_chosen_from) {
  OpenMpiRequest made = request("-np 3 --map-by slot --host n2:2,n1", "");
  made.granted = {{"n1", 2, 0}, {"n2", 2, 0}, {"n3", 2, 0}};
  EXPECT_EQ(nodes_of(made), "n1 0, n2 1 2");
}

TEST(OpenMpiPlacement, rankfile) {
  OpenMpiRequest made = request("--rankfile R", "");
  made.files["R"] = "rank 0=a slot=1:0-2\nrank 1=b slot=0:0,1\nrank 2=b slot=1-2\n";
  EXPECT_EQ(nodes_of(made), "a 0, b 1 2");
  EXPECT_EQ(bound(made, 0), "socket 1[core 4[hwt 0-1]], socket 1[core 5[hwt 0-1]], socket 1[core 6[hwt 0-1]]");
  EXPECT_EQ(bound(made, 2), "socket 0[core 1[hwt 0-1]], socket 0[core 2[hwt 0-1]]");
  made.files["R"] = "rank 0=a slot=7\nrank 1=a slot=8\n";
  const Error error = place_openmpi(made).error();
  EXPECT_EQ(error.what, "mpirun would refuse: there is no core 8");
  EXPECT_EQ(error.where, "R:2:15");
  const auto where = [&](const char* text) {
    made.files["R"] = text;
    return place_openmpi(made).error().where;
  };
  EXPECT_EQ(where("rank 0=a slot=1\nrank 1=b\n"), "R:2:1");          // no cpus
  EXPECT_EQ(where("rank 1=b slot=0\nrank 0=a slot=1\n"), "R:2:10");  // given twice, as in mpirun
  made.words.insert(made.words.begin(), {"--host", "a", "-np", "2"});
  EXPECT_EQ(where("rank 0=a slot=1\nrank 1=zz slot=0\n"), "R:2:8");
  made.words.erase(made.words.begin(), made.words.begin() + 4);
  made.files["R"] = "rank 0=a slot=1\nrank 1=b slot\n";
  EXPECT_EQ(place_openmpi(made).error().where, "R:2:14");
}

TEST(OpenMpiPlacement, a_rankfile_that_was_written_gives_the_same_placement) {
  const std::string by_hwthread = "--use-hwthread-cpus ";
  for (const std::string& words :
       {std::string("-np 8 --map-by socket:span --bind-to core"),
        by_hwthread + "-np 8 --map-by hwthread --bind-to hwthread", by_hwthread + "-np 3 --map-by socket:pe=3"}) {
    SCOPED_TRACE(words);
    const auto first = place_openmpi(request(words)).value();
    OpenMpiRequest again = request((words.starts_with(by_hwthread) ? by_hwthread : "") + "--rankfile R", "");
    again.files["R"] = rankfile_text(first);
    const auto second = place_openmpi(again).value();
    ASSERT_EQ(second.ranks.size(), first.ranks.size());
    for (std::size_t rank = 0; rank < first.ranks.size(); ++rank) {
      EXPECT_EQ(second.nodes[second.ranks[rank].node].name, first.nodes[first.ranks[rank].node].name);
      EXPECT_EQ(second.ranks[rank].hwthreads, first.ranks[rank].hwthreads);
    }
  }
}

TEST(OpenMpiPlacement, sequential_map) {
  EXPECT_EQ(nodes_of(request("-np 3 --map-by seq", "b\na\nb\n")), "b 0 2, a 1");
  EXPECT_EQ(kind_of(request("-np 4 --map-by seq", "b\na\nb\n")), "too few entries");
  EXPECT_EQ(place_openmpi(request("-np 2 --map-by seq", "b\na 99\n")).error().where, "H:2:1");
}

TEST(OpenMpiPlacement, wrong_words) {
  const Error error = place_openmpi(request("-np 2 --map-bi core")).error();
  EXPECT_EQ(error.why, "unknown option");
  EXPECT_EQ(error.help, "did you mean --map-by?");
  EXPECT_EQ(kind_of(request("-np x")), "wrong value");
  EXPECT_EQ(place_openmpi(request("-np four")).error().where, "mpirun -np four");
  EXPECT_EQ(kind_of(request("--map-by core --bynode")), "conflicting policies");
  EXPECT_EQ(kind_of(request("--map-by package")), "unknown policy");
  EXPECT_EQ(kind_of(request("--map-by slot:odd")), "unknown modifier");
  EXPECT_EQ(kind_of(request("-np 3 --bind-to l3cache")), "no objects");
}

TEST(OpenMpiPlacement, wrong_hostfiles_name_the_place) {
  EXPECT_EQ(place_openmpi(request("-np 1", "a slots=1\nb slots=x\n")).error().where, "H:2:9");
  EXPECT_EQ(place_openmpi(request("-np 1", "a slots=4 max-slots=2\n")).error().what, "max-slots is less than slots");
  EXPECT_EQ(place_openmpi(request("-np 1", "a\na slots=2\n")).error().what, "the slots of a are given twice");
}

TEST(OpenMpiPlacement, without_topology_nodes_are_known_and_bindings_are_not) {
  const auto placed = place_openmpi(request("-np 8", uneven, "")).value();
  EXPECT_EQ(placed.nodes[0].ranks.size(), 4U);
  EXPECT_FALSE(placed.binding_known);
  EXPECT_EQ(kind_of(request("-np 8 --map-by core", uneven, "")), "no topology");
}

TEST(OpenMpiPlacement, the_job_map_reads_as_mpirun_prints_it) {
  EXPECT_EQ(job_map_text(place_openmpi(request("-np 2", "a slots=2\n", "pack:1 core:2 pu:2")).value()),
            " ========================   JOB MAP   ========================\n"
            "\n"
            " Data for node: a\tNum slots: 2\tMax slots: 0\tNum procs: 2\n"
            " \tProcess OMPI jobid: [1,1] App: 0 Process rank: 0 Bound: socket 0[core 0[hwt 0-1]]:[BB/..]\n"
            " \tProcess OMPI jobid: [1,1] App: 0 Process rank: 1 Bound: socket 0[core 1[hwt 0-1]]:[../BB]\n"
            "\n"
            " =============================================================\n");
}

TEST(OpenMpiPlacement, each_node_is_bound_for_itself_and_the_dry_mpirun_counts_numa_nodes_on) {
  OpenMpiRequest made =
      request("-np 2 --map-by ppr:1:node --bind-to numa", "a slots=1\nb slots=1\n", "numa:2 pack:1 core:2 pu:1");
  EXPECT_EQ(bound(made, 1), "socket 0[core 0[hwt 0]], socket 0[core 1[hwt 0]]");
  made.one_process_binds = true;
  EXPECT_EQ(bound(made, 1), "socket 1[core 2[hwt 0]], socket 1[core 3[hwt 0]]");
}

/// How long it takes: bench/map.
TEST(OpenMpiPlacement, sixteen_thousand_ranks_fill_every_node_and_every_core) {
  std::string hostfile;
  for (int node = 0; node < 128; ++node) hostfile += "n" + std::to_string(node) + " slots=128\n";
  const auto placed =
      place_openmpi(request("-np 16384 --map-by core", hostfile, "pack:2 numa:4 l3:2 core:8 pu:2")).value();
  for (std::uint32_t rank = 0; rank < 16384; ++rank) {
    EXPECT_EQ(placed.ranks[rank].node, rank / 128);
    EXPECT_EQ(placed.ranks[rank].cores, (std::vector<std::uint32_t>{rank % 128}));
  }
  const auto by_node =
      place_openmpi(request("-np 16384 --map-by node --bind-to hwthread", hostfile, "pack:2 numa:4 l3:2 core:8 pu:2"))
          .value();
  for (std::uint32_t rank = 0; rank < 16384; ++rank) EXPECT_EQ(by_node.ranks[rank].node, rank % 128);
}

TEST(OpenMpiPlacement, no_core_is_invented_for_a_rank_that_is_not_bound) {
  EXPECT_EQ(place_openmpi(request("-np 2 --map-by slot", uneven, "")).value().placement().core,
            (std::vector<std::string>{"", ""}));
  EXPECT_EQ(place_openmpi(request("-np 2 --map-by core --bind-to none")).value().placement().core,
            (std::vector<std::string>{"", ""}));
  EXPECT_EQ(place_openmpi(request("-np 2 --map-by core --bind-to core")).value().placement().core,
            (std::vector<std::string>{"0", "1"}));
}

TEST(OpenMpiPlacement, the_nearest_known_value_is_named) {
  const auto help = [](const char* words) { return place_openmpi(request(words)).error().help; };
  EXPECT_TRUE(help("--map-by sokcet").starts_with("did you mean socket? known are slot, ")) << help("--map-by sokcet");
  EXPECT_TRUE(help("--rank-by nose").starts_with("did you mean node? ")) << help("--rank-by nose");
  EXPECT_TRUE(help("--rank-by node:spam").starts_with("did you mean span? ")) << help("--rank-by node:spam");
  EXPECT_TRUE(help("--bind-to hwthraed").starts_with("did you mean hwthread? ")) << help("--bind-to hwthraed");
  EXPECT_TRUE(help("--map-by node:spam").starts_with("did you mean span? ")) << help("--map-by node:spam");
  EXPECT_TRUE(help("--bind-to package").starts_with("did you mean socket? ")) << help("--bind-to package");
  EXPECT_TRUE(help("--map-by qqqqqq").starts_with("known are ")) << help("--map-by qqqqqq");
}

TEST(OpenMpiPlacement, parameters_that_are_not_understood_are_noted) {
  const auto warnings = [](const char* words) { return place_openmpi(request(words)).value().warnings; };
  EXPECT_EQ(warnings("-np 2 --mca rmaps seq"), (std::vector<std::string>{"--mca rmaps seq is ignored"}));
  EXPECT_EQ(warnings("-np 2 --mca ras slurm"), (std::vector<std::string>{"--mca ras slurm is ignored"}));
  EXPECT_TRUE(warnings("-np 2 --mca btl self --mca rmaps_base_verbose 5").empty());
}

}  // namespace
}  // namespace mora::predict::openmpi
