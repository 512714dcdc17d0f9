/// Where srun would place each task, from Slurm's documentation (README.md); not compared with a real srun. Rule
/// `slurm` (docs/rules.md). Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/placement.h"
#include "predict/placement/slurm/distribution.h"
#include "predict/placement/slurm/inside_node.h"

namespace mora::predict::slurm {

struct SlurmNode {
  std::string name;
  std::uint32_t cpus = 1;  ///< that the job may use there
};

struct SlurmRequest {
  std::vector<SlurmNode> nodes;  ///< that the job may use, in order
  bool all_nodes = false;  ///< they were asked for by name (--nodelist): without `node_count`, all of them are used
  std::optional<NodeInside> inside;             ///< cores are known only with it
  std::optional<std::uint32_t> tasks;           ///< -n; default: ntasks_per_node on each node, or one
  std::optional<std::uint32_t> node_count;      ///< -N; default: as few nodes as hold the tasks
  std::optional<std::uint32_t> tasks_per_node;  ///< at most
  std::uint32_t cpus_per_task = 1;
  bool overcommit = false;                   ///< more tasks than CPUs
  bool exclusive = false;                    ///< the nodes are the job's with all CPUs
  std::optional<Distribution> distribution;  ///< default: block
  std::vector<std::string> arbitrary;        ///< SLURM_HOSTFILE: the node of each task, for AcrossNodes::arbitrary
};

struct SlurmPlacement {
  Placement placement;  ///< slot: position on the node; core: first core, counted within the node, if `inside` is known
  std::vector<std::vector<std::uint32_t>>
      cores;                         ///< by task, in the order in which it gets CPUs of them; empty if not known
  std::vector<std::uint32_t> slots;  ///< by node: tasks it would take
  Distribution distribution;
  std::vector<std::string> notes;
};

/// Errors (usage): tasks that do not fit, more nodes than there are, unknown nodes of an arbitrary list, no node.
Result<SlurmPlacement> place_slurm(const SlurmRequest& request);

/// The cores of so many tasks on a node with `cpus`, as the request distributes them inside nodes; empty without
/// `inside`.
std::vector<std::vector<std::uint32_t>> cores_on_node(const SlurmRequest& request, std::uint32_t cpus,
                                                      std::uint32_t tasks);

/// "0-3,6", for a rankfile: the cores of a task; where they are not known, as many CPUs as it has, after those of the
/// tasks at lower positions on its node.
std::string rankfile_slot(const SlurmRequest& request, const std::vector<std::uint32_t>& cores, std::uint32_t position);

}  // namespace mora::predict::slurm
