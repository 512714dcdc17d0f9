/// Where `mpirun` of Open MPI 4.1 (Debian 12: 4.1.4) would put each rank: its mapping, ranking and binding, on nodes
/// that need not exist. Source: Open MPI 4.1 (mpirun(1), orte/mca/rmaps); tested against the real mpirun
/// (tests/map/oracle). Rules `mpirun-oddities`, `hostfile-errors`, `bindings` (docs/rules.md). Pure functions of their
/// input: no process is started, this machine is not looked at. Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/words/request.h"
#include "predict/placement/placement.h"

namespace mora::predict::openmpi {

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
  bool binding_known = false;             ///< the topology was given, or no binding is asked for
  std::uint32_t cpus_per_rank = 1;
  bool hwthread_cpus = false;         ///< --use-hwthread-cpus: rankfiles number hardware threads, not cores
  std::vector<std::string> warnings;  ///< deprecated options and the like, a sentence each

  Placement placement() const;  ///< for matrices and features: slot = position on its node, core = first core of its
                                ///< binding, empty if not bound (to less than the node)
};

/// Errors. usage: unknown option (with the nearest known), what mpirun refuses (`why` is the kind of refusal in its
/// terms: "not enough slots", "no hosts", "conflicting policies", "out of resource", "max slots" …); unreadable:
/// hostfile or rankfile, with file:line:column.
Result<OpenMpiPlacement> place_openmpi(const OpenMpiRequest& request);

/// The places that a request gives to any number of ranks on one of its nodes: as many cpus for each, as many at each
/// object, spread and bound (or not) as the request says. Where a list gives the places (rankfile, sequential
/// hostfile), they are its places on that node. Cheap to copy; safe from any thread.
class NodeFilling {
 public:
  /// Errors: those of place_openmpi(); a list that gives ranks different numbers of cpus (usage).
  static Result<NodeFilling> of(OpenMpiRequest request);
  /// `ranks`: in the order in which ranks take them. Errors (usage): the request does not allow so many there
  /// (whether the node has slots for them is not asked).
  Result<OpenMpiPlacement> places(const std::string& node, std::uint32_t ranks) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// mpirun's JOB MAP, as --display-map prints it (without the job's number).
std::string job_map_text(const OpenMpiPlacement& placement);

/// "rank N=host slot=…" lines that give the same placement to mpirun: the cores of ranks that are bound, "s*" (all
/// packages) for others. Where it is not known whether ranks are bound, they take the cores of their node one after the
/// other, each as many as it is to have.
std::string rankfile_text(const OpenMpiPlacement& placement);

/// What stands behind "slot=" there, for the rank at `position` on its node. `like`: says what is known of bindings.
std::string rankfile_slot(const OpenMpiPlacement& like, const RankPlace& place, std::uint32_t position);

}  // namespace mora::predict::openmpi
