/// `mora map --mode openmpi`: mpirun's words are given to predict/placement unchanged.
#include <algorithm>

#include <fmt/format.h>

#include "cli/map/mca_parameters.h"
#include "cli/map/modes.h"
#include "predict/placement/openmpi/openmpi_placement.h"
#include "predict/placement/openmpi/words/command.h"

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

/// --mca ras simulator: nodeA0, nodeA1 … nodeB0 …, numbers as long as the largest of the group, with the slots that the
/// parameters say.
Result<void> simulate_nodes(const Simulated& simulated, OpenMpiRequest& request) {
  const auto entry = [](const std::vector<std::int64_t>& list, std::size_t group, std::int64_t fallback) {
    return group < list.size() ? list[group] : list.size() == 1 ? list.front() : fallback;
  };
  for (const auto* list : {&simulated.slots, &simulated.max_slots}) {
    if (list->size() <= 1 || list->size() == simulated.nodes.size()) continue;
    return fail(ErrorKind::usage, "lists of different length", "mora map --mca ras_simulator_num_nodes",
                fmt::format("{} groups of nodes, {} numbers of slots", simulated.nodes.size(), list->size()),
                "give one number, or one for each group");
  }
  std::int64_t sum = 0;
  for (std::size_t group = 0; group < simulated.nodes.size(); ++group) {
    const std::int64_t count = simulated.nodes[group], slots = entry(simulated.slots, group, 1),
                       limit = entry(simulated.max_slots, group, 0);
    if (group >= 26 || count > 1 << 24 || (sum += count) > 1 << 24 || slots > 1 << 24 || limit > 1 << 24) {
      return fail(ErrorKind::usage, "too many simulated nodes or slots", "mora map --mca ras simulator",
                  "up to 26 groups, 16777216 nodes, as many slots");
    }
    std::size_t digits = 1;
    for (std::int64_t most = 10; count >= most; most *= 10) ++digits;
    for (std::int64_t n = 0; n < count; ++n) {
      request.granted.push_back({fmt::format("node{}{:0{}}", static_cast<char>('A' + group), n, digits),
                                 static_cast<std::uint32_t>(slots), static_cast<std::uint32_t>(limit)});
    }
  }
  return {};
}

/// Without hosts and topology mpirun would use this machine; Mora asks the user for the nodes that a resource manager
/// would grant.
Result<void> grant_nodes(const MapWords& words, const Command& command, OpenMpiRequest& request) {
  const bool has_hosts = command.hosts || !command.hostfiles.empty() || command.default_hostfile || command.rankfile;
  const bool has_numbers = words.has("nodes") || words.has("slots");
  if (has_hosts && has_numbers) {
    return fail(ErrorKind::usage, fmt::format("--{} and named nodes", words.has("nodes") ? "nodes" : "slots"),
                "mora map", "the hostfile or --host already gives the nodes and their slots", "give one of them");
  }
  if (has_hosts || (request.topology && !has_numbers)) return {};
  MORA_TRY(const std::uint32_t nodes,
           number_or_ask(words, "nodes", "Please specify number of host on the cluster:", "hosts of the cluster"));
  std::uint32_t slots = 0;
  if (request.topology && !words.has("slots")) {
    slots = static_cast<std::uint32_t>(request.topology->at(Level::core).size());
  } else {
    MORA_TRY(slots,
             number_or_ask(words, "slots", "Please specify number of slots on each host:", "slots on each host"));
  }
  for (std::uint32_t n = 0; n < nodes; ++n) request.granted.push_back({fmt::format("node{}", n), slots, 0});
  return {};
}

auto seats_of(const OpenMpiRequest& request) {
  return
      [filling = NodeFilling::of(request)](const std::string& node, std::uint32_t ranks) -> Result<std::vector<Seat>> {
        if (!filling) return tl::unexpected(filling.error());
        MORA_TRY(const OpenMpiPlacement placed, filling->places(node, ranks));
        const predict::Placement plain = placed.placement();
        std::vector<Seat> seats;
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
          seats.push_back({plain.core[rank], std::to_string(rank), rankfile_slot(placed, placed.ranks[rank], rank)});
        return seats;
      };
}

}  // namespace

Result<Mapped> map_as_openmpi(const MapWords& words) {
  if (std::find(words.application.begin(), words.application.end(), ":") != words.application.end()) {
    return fail(ErrorKind::usage, "several applications (:)", "mora map", "only jobs of one application can be placed");
  }
  OpenMpiRequest request;
  const Parameters beside = parameters_beside(words.launcher, parameters_here());
  request.words = beside.before;
  request.words.insert(request.words.end(), words.launcher.begin(), words.launcher.end());
  request.words.insert(request.words.end(), beside.after.begin(), beside.after.end());
  MORA_TRY(const Command command, read_command(request.words));
  if (words.has("topology") || command.topology_file) {
    MORA_TRY(request.topology, load_topology(words.has("topology") ? words.get("topology") : *command.topology_file));
  }
  if (command.simulated.asked || !command.simulated.nodes.empty())
    MORA_CHECK_OK(simulate_nodes(command.simulated, request));
  if (request.granted.empty()) MORA_CHECK_OK(grant_nodes(words, command, request));
  MORA_TRY(const OpenMpiPlacement placed, place_openmpi(request));
  Mapped mapped;
  mapped.placement = placed.placement();
  for (const NodePlace& node : placed.nodes) mapped.slots.push_back(node.slots);
  if (words.has("improve")) mapped.seats = seats_of(request);
  mapped.picture = picture_of(placed);
  mapped.rankfile = rankfile_text(placed);
  mapped.job_map = job_map_text(placed);
  mapped.policies = {"map-by " + placed.mapping, "rank-by " + placed.ranking, "bind-to " + placed.binding};
  mapped.notes = beside.notes;
  mapped.notes.insert(mapped.notes.end(), placed.warnings.begin(), placed.warnings.end());
  if (words.has("rankfile-out") && placed.hwthread_cpus)
    mapped.notes.emplace_back("the rankfile numbers hardware threads: mpirun needs --use-hwthread-cpus with it");
  return mapped;
}

}  // namespace mora::cli
