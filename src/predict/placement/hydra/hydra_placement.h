/// Where mpiexec.hydra of MPICH 4.0 (Debian 12: 4.0.2) would put each rank, and the cpus that it would bind it to.
/// Source: `mpiexec.hydra -help`, `-bind-to -help`, and its answers (tests/map/oracle/hydra.py). Rule `hydra`
/// (docs/rules.md). Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/topology/topology.h"
#include "predict/placement/placement.h"

namespace mora::predict::hydra {

/// A node as the list names it: a name that is given again later is a node of its own, whose ranks are bound anew.
struct HydraNode {
  std::string name;
  std::uint32_t ranks = 1;  ///< that it gets at a visit
};

/// "a:2,b", and the lines of a file: "a:2  # comment", perhaps with binding=… behind. A node that follows itself is
/// one. Errors: usage and unreadable (file:line), numbers of 0 (mpiexec crashes), more than one word in a line.
Result<std::vector<HydraNode>> parse_hosts(std::string_view list);
Result<std::vector<HydraNode>> parse_host_file(std::string_view text, const std::string& file);

struct HydraRequest {
  std::vector<HydraNode> nodes;           ///< at least one
  std::optional<std::uint32_t> ranks;     ///< -n; default: one visit to each node
  std::optional<std::uint32_t> per_node;  ///< -ppn: instead of each node's number
  std::string bind_to = "none", map_by;   ///< "core:2", "socket", "rr", "user:0+2,1"; map_by empty: as bind_to
  std::optional<openmpi::Topology> topology;
};

struct HydraPlacement {
  Placement placement;  ///< slot: position on the node; core: first core of the binding, empty if not bound (to less
                        ///< than the node) or not known
  std::vector<std::vector<std::uint32_t>> hwthreads;  ///< by rank; empty: not bound, or not known
};

/// Errors (usage): bindings that mpiexec does not know, objects that the nodes lack; a binding to a device (not
/// supported here).
Result<HydraPlacement> place_hydra(const HydraRequest& request);

}  // namespace mora::predict::hydra
