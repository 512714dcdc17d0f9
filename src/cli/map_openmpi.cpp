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
