/// `mora map --mode openmpi`: mpirun's words go to the placement as they are.
#include <algorithm>

#include <fmt/format.h>

#include "cli/map_modes.h"
#include "predict/placement/openmpi/openmpi_placement.h"

namespace mora::cli {
namespace {

using namespace predict::openmpi;

std::string picture_of(const OpenMpiPlacement& placed) {
  std::string out = "#####SIMULATION ENV#####\n";
  for (const NodePlace& node : placed.nodes) {
    out += fmt::format("Node id={} Slots={}", node.name, node.slots);
    if (node.max_slots != 0) out += fmt::format(" MaxSlots={}", node.max_slots);
    out += node.oversubscribed ? " Oversubscribed\n" : "\n";
    for (const std::uint32_t rank : node.ranks) {
      const RankPlace& place = placed.ranks[rank];
      out += fmt::format("  Rank id={}", rank);
      if (!place.locale.empty()) out += fmt::format(" Mapped={}", place.locale);
      if (placed.binding_known) out += fmt::format(" Bound={}", place.bound.empty() ? "the whole node" : place.bound);
      out += '\n';
    }
  }
  return out + "#####\n";
}

/// Without hosts and topology mpirun would ask this machine; Mora asks the user for nodes that a resource manager would grant.
Result<void> grant_nodes(const MapWords& words, OpenMpiRequest& request) {
  const bool has_hosts = launcher_without(words.launcher, "host H hostfile machinefile default-hostfile rf rankfile").size() != words.launcher.size();
  const bool has_numbers = words.has("nodes") || words.has("slots");
  if (has_hosts && has_numbers) {
    return fail(ErrorKind::usage, fmt::format("--{} and named nodes", words.has("nodes") ? "nodes" : "slots"), "mora map", "the hostfile or --host says it",
                "give one of them");
  }
  if (has_hosts || (request.topology && !has_numbers)) return {};
  MORA_TRY(const std::uint32_t nodes, number_or_ask(words, "nodes", "Please specify number of host on the cluster:", "hosts of the cluster"));
  std::uint32_t slots = 0;
  if (request.topology && !words.has("slots")) {
    slots = static_cast<std::uint32_t>(request.topology->at(Level::core).size());
  } else {
    MORA_TRY(slots, number_or_ask(words, "slots", "Please specify number of slots on each host:", "slots on each host"));
  }
  for (std::uint32_t n = 0; n < nodes; ++n) request.granted.push_back({fmt::format("node{}", n), slots, 0});
  return {};
}

}  // namespace

Result<Mapped> map_as_openmpi(const MapWords& words) {
  if (std::find(words.application.begin(), words.application.end(), ":") != words.application.end()) {
    return fail(ErrorKind::usage, "several applications (:)", "mora map", "only jobs of one application are placed");
  }
  OpenMpiRequest request;
  request.words = words.launcher;
  std::uint32_t cores = 0;
  if (words.has("topology")) {
    MORA_TRY(request.topology, load_topology(words.get("topology")));
    cores = static_cast<std::uint32_t>(request.topology->at(Level::core).size());
  }
  MORA_CHECK_OK(grant_nodes(words, request));
  MORA_TRY(const OpenMpiPlacement placed, place_openmpi(request));
  Mapped mapped;
  mapped.placement = placed.placement();
  for (const NodePlace& node : placed.nodes) {
    mapped.slots.push_back(node.slots);
    auto& seats = mapped.seats.emplace_back();
    const std::uint32_t count = cores != 0 ? cores : std::max(node.slots, 1u);
    for (std::uint32_t s = 0; s < count; ++s) seats.push_back({cores == 0 ? "" : std::to_string(s), std::to_string(s), std::to_string(s)});
  }
  mapped.picture = picture_of(placed);
  mapped.rankfile = rankfile_text(placed);
  mapped.job_map = job_map_text(placed);
  mapped.policies = {"map-by " + placed.mapping, "rank-by " + placed.ranking, "bind-to " + placed.binding};
  mapped.notes = placed.warnings;
  return mapped;
}

}  // namespace mora::cli
