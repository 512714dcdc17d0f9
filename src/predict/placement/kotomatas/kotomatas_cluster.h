/// The system of Kotomatas's placement simulator: a cluster of nodes, of slots, of cores; processes go to cores.
/// Sockets, caches and hardware threads do not exist in it. Source: Kotomatas 2018, 5.3.2. Pure functions, safe from
/// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/hostfile.h"

namespace mora::predict {

struct KotomatasNode {
  std::string name;
  std::uint32_t slots = 1;
  std::uint32_t cores_per_slot = 1;
  std::uint32_t max_slots =
      0;  ///< the node takes at most as many ranks as so many slots have cores, in all rounds; 0: no limit
  std::uint64_t cores() const { return std::uint64_t{slots} * cores_per_slot; }
};
using KotomatasCluster = std::vector<KotomatasNode>;

/// What describes a cluster, by priority: hostfile, hosts, cores.
struct KotomatasSystem {
  std::optional<std::vector<HostEntry>> hostfile;
  std::vector<std::string> hosts;               ///< --host; with a hostfile: keeps only these nodes, unchanged
  std::uint32_t cores_per_slot = 1;             ///< --core
  std::optional<std::uint32_t> nodes;           ///< asked for where there is neither hostfile nor host
  std::optional<std::uint32_t> slots_per_node;  ///< asked for where there is no hostfile
};

/// Errors (usage): a host that the hostfile does not have, by name; numbers of nodes or slots that are not given.
/// A node of a hostfile without slots has max-slots of them, else one. Hosts given twice are one node.
Result<KotomatasCluster> make_cluster(const KotomatasSystem& system);

/// The nodes with their slots and cores, in the form of Kotomatas 2018, Figure 5.4.
std::string picture(const KotomatasCluster& cluster);

}  // namespace mora::predict
