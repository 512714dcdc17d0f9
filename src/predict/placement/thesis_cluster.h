/// The thesis's system: a cluster of nodes, of slots, of cores; processes go to cores (spec/004 2.7.3). Sockets, caches
/// and hardware threads do not exist in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/hostfile.h"

namespace mora::predict {

struct ThesisNode {
  std::string name;
  std::uint32_t slots = 1;
  std::uint32_t cores_per_slot = 1;
  std::uint32_t max_slots =
      0;  ///< so many ranks as the cores of so many slots, however often cores are taken again; 0: no limit
  std::uint64_t cores() const { return std::uint64_t{slots} * cores_per_slot; }
};
using ThesisCluster = std::vector<ThesisNode>;

/// What a cluster is made of, most important first: hostfile, hosts, cores (MAP-9).
struct ThesisSystem {
  std::optional<std::vector<HostEntry>> hostfile;
  std::vector<std::string> hosts;               ///< --host; with a hostfile: keeps only these nodes, unchanged
  std::uint32_t cores_per_slot = 1;             ///< --core
  std::optional<std::uint32_t> nodes;           ///< asked for where there is neither hostfile nor host
  std::optional<std::uint32_t> slots_per_node;  ///< asked for where there is no hostfile
};

/// Errors (usage): a host that the hostfile does not have, by name (MAP-12); nodes or slots that nobody said.
/// A node of a hostfile without slots has max-slots of them, else one. Hosts given twice are one node.
Result<ThesisCluster> make_cluster(const ThesisSystem& system);

/// Figure 5.4.
std::string picture(const ThesisCluster& cluster);

}  // namespace mora::predict
