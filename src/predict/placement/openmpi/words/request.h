/// What is asked of place_openmpi() (openmpi_placement.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "predict/placement/openmpi/topology/topology.h"

namespace mora::predict::openmpi {

struct OpenMpiRequest {
  /// The words of mpirun's command line, without "mpirun" itself: `-np 8 --map-by ppr:2:node:pe=2 --hostfile H --host
  /// a:2,b`. Both spellings of a long option (one or two dashes). Reading stops at the first word that is no option
  /// (the program), or at `--`. Options that say nothing about placement (-x, --tag-output, --wdir …) are skipped with
  /// their arguments; `--mca` is read where the parameter is about placement (rmaps_base_…, hwloc_base_binding_policy,
  /// orte_default_hostfile …).
  std::vector<std::string> words;

  /// The inside of every node; nullopt: unknown (then mapping by objects inside a node is refused, binding is not
  /// known).
  std::optional<Topology> topology;

  /// Text of files that the words name (hostfile, rankfile), by the name as written; a name that is not here is read
  /// from disk.
  std::map<std::string, std::string> files;

  /// Nodes that a resource manager granted (SLURM and the like), before hostfile and --host choose from them; empty:
  /// none.
  struct Granted {
    std::string name;
    std::uint32_t slots = 1;
    std::uint32_t max_slots = 0;  ///< 0: no limit
  };
  std::vector<Granted> granted;

  /// The node that mpirun itself would run on. Only names equal to it ("localhost" too) are "here".
  std::string head_node = "localhost";

  /// Bind as `mpirun --do-not-launch -novm` does, where one process binds the ranks of all nodes and counts on from
  /// node to node; for comparing with it. A job that runs is bound by each node's daemon for itself.
  bool one_process_binds = false;
};

}  // namespace mora::predict::openmpi
