/// Where `mpirun` of Open MPI 4.1 (Debian 12: 4.1.4) would put each rank: its mapping, ranking and binding, on nodes
/// that need not exist. Source: Open MPI 4.1 (mpirun(1), orte/mca/rmaps); tested against the real mpirun
/// (tests/map/oracle). Rules `mpirun-oddities`, `hostfile-errors`, `bindings` (docs/rules.md). Pure functions of their
/// input: no process is started, this machine is not looked at. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/topology.h"
#include "predict/placement/placement.h"

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

/// One rank.
struct RankPlace {
  std::uint32_t node = 0;  ///< index of OpenMpiPlacement::nodes
  std::string
      locale;  ///< the object it was mapped to: "package 1", "core 3"; "node" if mapped by slot; empty: a list gave
  std::vector<std::uint32_t> locale_hwthreads;
  std::vector<std::uint32_t> packages;   ///< that its binding touches, logical numbers, ascending; empty: not bound
  std::vector<std::uint32_t> cores;      ///< numbered within the node
  std::vector<std::uint32_t> hwthreads;  ///< numbered within the node
  std::string
      bound;  ///< as mpirun prints it: "socket 0[core 1[hwt 0-1]]"; "N/A" if not bound; empty: to the whole node
  std::string picture;  ///< "[../BB][../..]"; empty: not bound, or to the whole node
};

struct NodePlace {
  std::string name;
  std::uint32_t slots = 0;
  std::uint32_t max_slots = 0;       ///< 0: no limit
  bool oversubscribed = false;       ///< more ranks than slots
  std::vector<std::uint32_t> ranks;  ///< in the order of mpirun's JOB MAP
};

struct OpenMpiPlacement {
  std::vector<NodePlace> nodes;           ///< those that get ranks, in the order of mpirun's JOB MAP
  std::vector<RankPlace> ranks;           ///< by rank
  std::string mapping, ranking, binding;  ///< the policies that came out: "BYCORE", "SLOT", "CORE"
  bool binding_known = false;             ///< the topology was given
  std::vector<std::string> warnings;      ///< deprecated options and the like, a sentence each

  Placement placement() const;  ///< for matrices and features: slot = position on its node, core = first core of its
                                ///< binding, empty if not bound
};

/// Errors. usage: unknown option (with the nearest known), what mpirun refuses (`why` is the kind of refusal in its
/// terms: "not enough slots", "no hosts", "conflicting policies", "out of resource", "max slots" …); unreadable:
/// hostfile or rankfile, with file:line:column.
Result<OpenMpiPlacement> place_openmpi(const OpenMpiRequest& request);

/// mpirun's JOB MAP, as --display-map prints it (without the job's number).
std::string job_map_text(const OpenMpiPlacement& placement);

/// "rank N=host slot=…" lines that give the same placement to mpirun; slots are the cores of ranks that are bound;
/// others take cores 0, 1, 2 … of their node.
std::string rankfile_text(const OpenMpiPlacement& placement);

}  // namespace mora::predict::openmpi
