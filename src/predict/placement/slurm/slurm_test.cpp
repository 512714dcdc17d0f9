/// The worked examples of SLURM's documentation: srun(1), cpu_management.html (its nodes n0 to n2: 2 sockets of 4
/// cores), dist_plane.html.
#include "predict/placement/slurm/slurm_placement.h"

#include <gtest/gtest.h>

#include "predict/placement/slurm/hostlist.h"

namespace mora::predict::slurm {
namespace {

SlurmRequest three_nodes(std::uint32_t cpus = 8) {
  SlurmRequest request;
  request.nodes = {{"n0", cpus}, {"n1", cpus}, {"n2", cpus}};
  if (cpus == 8) request.inside = NodeInside{2, 4, 1};
  return request;
}

/// "0 1 | 2 | 3": the tasks of each node.
std::string tasks(const SlurmRequest& request) {
  const SlurmPlacement result = place_slurm(request).value();
  std::string out;
  for (std::uint32_t n = 0; n < result.placement.nodes.size(); ++n) {
    std::string of_node;
    for (std::uint32_t t = 0; t < result.placement.size(); ++t) {
      if (result.placement.node_of[t] == n) of_node += (of_node.empty() ? "" : " ") + std::to_string(t);
    }
    out += (n == 0 ? "" : " | ") + of_node;
  }
  return out;
}

std::string cores(const SlurmRequest& request) {
  std::string out;
  const SlurmPlacement result = place_slurm(request).value();
  for (const std::string& core : result.placement.core) out += (out.empty() ? "" : " ") + (core.empty() ? "-" : core);
  return out;
}

Distribution named(const char* text) { return parse_distribution(text).value(); }

TEST(Slurm, ManualBlockAndCyclic) {
  // srun(1): "three nodes each with two cpus. A four-task block distribution": one and two, three, four; cyclic: one
  // and four, two, three.
  SlurmRequest request = three_nodes(2);
  request.node_count = 3;
  request.tasks = 4;
  for (const bool exclusive : {false, true}) {
    request.exclusive = exclusive;
    request.distribution = named("block");
    EXPECT_EQ(tasks(request), "0 1 | 2 | 3");
    request.distribution = named("cyclic");
    EXPECT_EQ(tasks(request), "0 3 | 1 | 2");
  }
}

TEST(Slurm, Examples2To7) {
  SlurmRequest request = three_nodes();
  request.node_count = 1;
  request.tasks = 2;
  request.cpus_per_task = 3;
  EXPECT_EQ(tasks(request), "0 1");  // Example 2
  request.node_count = 3;
  request.tasks = 3;
  EXPECT_EQ(tasks(request), "0 | 1 | 2");  // Example 3
  request = three_nodes();
  request.tasks = 12;
  EXPECT_EQ(tasks(request), "0 1 2 3 4 5 6 7 | 8 9 10 11");  // Example 4
  request = three_nodes();
  request.node_count = 2;
  request.tasks_per_node = 3;
  request.tasks = 6;
  request.cpus_per_task = 2;
  request.distribution = named("cyclic");
  EXPECT_EQ(tasks(request), "0 2 4 | 1 3 5");  // Example 5
  request = three_nodes();
  request.node_count = 3;
  request.tasks = 8;
  request.cpus_per_task = 2;
  request.distribution = named("plane=2");
  EXPECT_EQ(tasks(request), "0 1 5 6 | 2 3 7 | 4");  // Example 6
  request = three_nodes();
  request.node_count = 1;
  request.tasks = 20;
  request.overcommit = true;
  EXPECT_EQ(tasks(request), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");  // Example 7
}

TEST(Slurm, Examples10And14Binding) {
  SlurmRequest request = three_nodes();
  request.node_count = 1;
  request.tasks = 6;
  EXPECT_EQ(cores(request), "0 4 1 5 2 6");  // Example 10: "task id 2 is bound to CPU id 1"
  request = three_nodes();
  request.node_count = 3;
  request.tasks = 18;
  request.tasks_per_node = 6;
  request.distribution = named("cyclic:block");
  request.exclusive =
      true;  // the example allocates by blocks within nodes, a setting of the site; with whole nodes it comes out alike
  EXPECT_EQ(tasks(request), "0 3 6 9 12 15 | 1 4 7 10 13 16 | 2 5 8 11 14 17");
  EXPECT_EQ(cores(request), "0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5");  // "task id 10 is bound to CPU id 3 on node n1"
}

TEST(Slurm, PlaneOf21TasksOnFourNodes) {
  // dist_plane.html: srun -N 4-4 -n 21 -m plane=4; numbers as with cyclic (srun(1)): 6, 5, 5, 5.
  SlurmRequest request;
  request.nodes = {{"a", 8}, {"b", 8}, {"c", 8}, {"d", 8}};
  request.node_count = 4;
  request.tasks = 21;
  request.exclusive = true;
  request.distribution = named("plane=4");
  EXPECT_EQ(tasks(request), "0 1 2 3 16 17 | 4 5 6 7 18 | 8 9 10 11 19 | 12 13 14 15 20");
  request.distribution = named("plane=2");
  EXPECT_EQ(tasks(request), "0 1 8 9 16 17 | 2 3 10 11 18 | 4 5 12 13 19 | 6 7 14 15 20");
  request.node_count = 1;
  request.overcommit = true;
  EXPECT_EQ(place_slurm(request).value().placement.nodes.size(), 1u);
}

TEST(Slurm, WholeNodesPackAndNoPack) {
  SlurmRequest request = three_nodes();
  request.node_count = 3;
  request.tasks = 10;
  request.exclusive = true;
  EXPECT_EQ(tasks(request), "0 1 2 3 | 4 5 6 | 7 8 9");
  request.distribution = named("block,NoPack");
  EXPECT_EQ(tasks(request), "0 1 2 3 | 4 5 6 | 7 8 9");
  request.distribution = named("block,Pack");
  EXPECT_EQ(tasks(request), "0 1 2 3 4 5 6 7 | 8 9 | ");
  request.exclusive = false;  // only what is needed, the first nodes first
  request.distribution = named("block");
  EXPECT_EQ(tasks(request), "0 1 2 3 4 5 6 7 | 8 | 9");
}

TEST(Slurm, SocketsAndCores) {
  SlurmRequest request;
  request.nodes = {{"n3", 16}};
  request.inside = NodeInside{2, 4, 2};
  request.tasks = 4;
  request.cpus_per_task = 2;
  request.exclusive = true;
  EXPECT_EQ(cores(request), "0 4 1 5");  // a task's two threads from one core, tasks to sockets in turn
  request.distribution = named("block:block");
  EXPECT_EQ(cores(request), "0 1 2 3");
  request.distribution = named("block:fcyclic");
  EXPECT_EQ(cores(request), "0 1 2 3");  // a thread of 0 and of 4, of 1 and of 5 …
  request.cpus_per_task = 1;
  request.tasks = 6;
  request.distribution = named("block:block:block");
  EXPECT_EQ(cores(request), "0 0 1 1 2 2");
  request.distribution = named("block:block:cyclic");
  EXPECT_EQ(cores(request), "0 1 2 3 0 1");
  request.distribution = named("block:cyclic:block");
  EXPECT_EQ(cores(request), "0 4 0 4 1 5");
  request.tasks = 17;
  request.overcommit = true;
  EXPECT_EQ(place_slurm(request).value().placement.core[16], "");
}

TEST(Slurm, ArbitraryAndDefaults) {
  SlurmRequest request = three_nodes();
  request.distribution = named("arbitrary");
  EXPECT_EQ(place_slurm(request).error().what, "arbitrary needs the list of nodes");
  request.arbitrary = {"n2", "n0", "n2"};
  EXPECT_EQ(tasks(request), "1 |  | 0 2");
  request.tasks = 2;
  EXPECT_EQ(tasks(request), "1 |  | 0");
  request.tasks = 4;
  EXPECT_FALSE(place_slurm(request));
  request.arbitrary = {"n2", "n0", "n9", "n0"};
  EXPECT_EQ(place_slurm(request).error().what, "no such node: n9");
  request = three_nodes();
  EXPECT_EQ(tasks(request), "0");  // one task
  request.node_count = 2;
  EXPECT_EQ(tasks(request), "0 | 1");  // one a node
  request.tasks_per_node = 2;
  EXPECT_EQ(tasks(request), "0 1 | 2 3");
  request = three_nodes();
  request.all_nodes = true;
  request.tasks = 2;
  EXPECT_EQ(tasks(request), "0 | 1");
  EXPECT_EQ(place_slurm(request).value().notes.size(), 1u);
}

TEST(Slurm, Refusals) {
  SlurmRequest request = three_nodes();
  request.tasks = 25;
  EXPECT_EQ(place_slurm(request).error().why, "25 tasks with 1 CPU each, 3 nodes with room for 24");
  request.tasks_per_node = 2;
  request.tasks = 7;
  EXPECT_EQ(place_slurm(request).error().why, "7 tasks with 1 CPU each, at most 2 a node, 3 nodes with room for 6");
  request = three_nodes();
  request.node_count = 4;
  EXPECT_EQ(place_slurm(request).error().why, "there are 3");
  request.node_count = 1;
  request.cpus_per_task = 9;
  EXPECT_FALSE(place_slurm(request));
  EXPECT_FALSE(place_slurm(SlurmRequest{}));
}

TEST(SlurmDistribution, FormsAndErrors) {
  EXPECT_EQ(text_of(named("*")), "block:cyclic:cyclic");
  EXPECT_EQ(text_of(named("Cyclic:*:Block")), "cyclic:cyclic:block");
  EXPECT_EQ(text_of(named("*:fcyclic:*,NoPack")), "block:fcyclic:fcyclic");
  EXPECT_EQ(text_of(named("block,Pack")), "block:cyclic:cyclic,Pack");
  EXPECT_EQ(text_of(named("plane=4")), "plane=4");
  const auto why = [](const char* text) { return parse_distribution(text).error().why; };
  EXPECT_EQ(why("plain"), "'plain' is not known for nodes");
  EXPECT_EQ(why("plane"), "plane needs its size, plane=N");
  EXPECT_EQ(why("plane=0"), "plane needs its size, plane=N");
  EXPECT_EQ(why("plane=2:block"), "nothing can be combined with plane");
  EXPECT_EQ(why("block:round"), "'round' is not known for sockets");
  EXPECT_EQ(why("block:*:round"), "'round' is not known for cores");
  EXPECT_EQ(why("block:*:*:*"), "there are three levels: nodes, sockets, cores");
  EXPECT_EQ(why("cyclic,Pack"), "Pack goes with block only");
  EXPECT_EQ(why("block,pakc"), "'pakc' is neither Pack nor NoPack");
  EXPECT_EQ(why(""), "'' is not known for nodes");
}

TEST(SlurmHostlist, ExpandsAndNamesDamage) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand_hostlist("a", "L").value(), Names{"a"});
  EXPECT_EQ(expand_hostlist("n[1-3,7],m,r[08-10]", "L").value(),
            (Names{"n1", "n2", "n3", "n7", "m", "r08", "r09", "r10"}));
  EXPECT_EQ(expand_hostlist("x[0-1]y[2-3]z", "L").value(), (Names{"x0y2z", "x0y3z", "x1y2z", "x1y3z"}));
  const auto where = [](const char* list) { return expand_hostlist(list, "L").error().where; };
  EXPECT_EQ(where(""), "L:1");
  EXPECT_EQ(where("a,"), "L:3");
  EXPECT_EQ(where("n[1-"), "L:5");
  EXPECT_EQ(where("n[3-1]"), "L:6");
  EXPECT_EQ(where("n[1"), "L:4");
  EXPECT_EQ(where("n[a]"), "L:3");
  EXPECT_EQ(where("n1]"), "L:3");
  EXPECT_FALSE(expand_hostlist("n[0-4000000000]", "L"));
  EXPECT_FALSE(expand_hostlist("n[0-9999][0-9999]", "L"));
}

}  // namespace
}  // namespace mora::predict::slurm
