#include "predict/placement/kotomatas/kotomatas_cluster.h"

#include <unordered_set>

#include <fmt/format.h>

namespace mora::predict {

namespace {

Result<std::uint32_t> said(const std::optional<std::uint32_t>& number, const char* what) {
  if (number && *number > 0) return *number;
  return fail(ErrorKind::usage, fmt::format("the number of {} is not known", what), "", "", "give a hostfile");
}

KotomatasNode node_of(const HostEntry& entry, std::uint32_t cores_per_slot) {
  return {entry.name, entry.slots.value_or(entry.max_slots.value_or(1)), entry.cores_per_slot.value_or(cores_per_slot),
          entry.max_slots.value_or(0)};
}

}  // namespace

Result<KotomatasCluster> make_cluster(const KotomatasSystem& system) {
  KotomatasCluster cluster;
  std::unordered_set<std::string> taken;
  const std::unordered_set<std::string> hosts(system.hosts.begin(), system.hosts.end());
  if (system.hostfile) {
    const auto is_wanted = [&](const std::string& name) { return hosts.empty() || hosts.count(name) != 0; };
    for (const HostEntry& entry : *system.hostfile) {
      if (is_wanted(entry.name) && taken.insert(entry.name).second)
        cluster.push_back(node_of(entry, system.cores_per_slot));
    }
    for (const std::string& host : system.hosts) {
      if (taken.count(host) == 0) return fail(ErrorKind::usage, "no such node in the hostfile", "--host " + host);
    }
    if (cluster.empty()) return fail(ErrorKind::usage, "the hostfile names no node");
    return cluster;
  }
  MORA_TRY(const std::uint32_t slots, said(system.slots_per_node, "slots on each host"));
  if (!system.hosts.empty()) {
    for (const std::string& host : system.hosts) {
      if (taken.insert(host).second) cluster.push_back({host, slots, system.cores_per_slot, 0});
    }
    return cluster;
  }
  MORA_TRY(const std::uint32_t nodes, said(system.nodes, "hosts of the cluster"));
  for (std::uint32_t n = 0; n < nodes; ++n)
    cluster.push_back({fmt::format("node{}", n), slots, system.cores_per_slot, 0});
  return cluster;
}

std::string picture(const KotomatasCluster& cluster) {
  std::string out = "#####SIMULATION ENV#####\n";
  for (const KotomatasNode& node : cluster) {
    out += fmt::format("Node id={}\n", node.name);
    for (std::uint32_t s = 0; s < node.slots; ++s) {
      out += fmt::format("  Slot id={}\n", s);
      for (std::uint32_t c = 0; c < node.cores_per_slot; ++c)
        out += fmt::format("    Core id={}:{}:{}\n", c, s, node.name);
    }
  }
  return out + "#####\n";
}

}  // namespace mora::predict
