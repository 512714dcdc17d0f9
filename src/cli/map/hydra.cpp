/// `mora map --mode hydra`: the options of mpiexec.hydra about nodes and bindings.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/map/modes.h"
#include "predict/placement/hydra/hydra_placement.h"

namespace mora::cli {
namespace {

using namespace predict::hydra;

Result<std::vector<HydraNode>> hydra_nodes(const MapWords& words) {
  if (words.has("hosts")) return parse_hosts(words.get("hosts"));
  const char* variable = std::getenv("HYDRA_HOST_FILE");
  const std::string file = words.has("f") ? words.get("f") : variable == nullptr ? "" : variable;
  if (!file.empty()) {
    MORA_TRY(const std::string text, read_file(file));
    return parse_host_file(text, file);
  }
  MORA_TRY(const std::uint32_t count,
           number_or_ask(words, "nodes", "Please specify number of host on the cluster:", "hosts of the cluster"));
  MORA_TRY(const std::uint32_t slots, number_option(words, "slots", 1));
  std::vector<HydraNode> nodes;
  for (std::uint32_t n = 0; n < count; ++n) nodes.push_back({fmt::format("node{}", n), slots});
  return nodes;
}

}  // namespace

Result<Mapped> map_as_hydra(const MapWords& words) {
  for (const std::string& word : words.application) {
    if (word == ":")
      return fail(ErrorKind::usage, "several applications (:)", "mora map",
                  "only jobs of one application can be placed");
  }
  if (words.has("rankfile-out"))
    return fail(ErrorKind::usage, "--rankfile-out and --mode hydra", "mora map", "mpiexec reads no rankfiles");
  HydraRequest request;
  MORA_TRY(request.nodes, hydra_nodes(words));
  if (words.has("np")) {
    MORA_TRY(request.ranks, number_option(words, "np", 1));
  }
  if (words.has("ppn")) {
    MORA_TRY(request.per_node, number_option(words, "ppn", 1));
  }
  if (words.has("bind-to")) request.bind_to = words.get("bind-to");
  request.map_by = words.get("map-by");
  if (words.has("topology")) {
    MORA_TRY(request.topology, predict::openmpi::load_topology(words.get("topology")));
  }
  MORA_TRY(HydraPlacement placed, place_hydra(request));
  Mapped mapped;
  mapped.placement = std::move(placed.placement);
  mapped.slots.assign(mapped.placement.nodes.size(), 0);
  mapped.picture = "#####SIMULATION ENV#####\n";
  bool is_again = false;
  for (const HydraNode& node : request.nodes) {
    const std::uint32_t ranks = request.per_node.value_or(node.ranks);
    mapped.picture += fmt::format("Node id={} RanksPerVisit={}\n", node.name, ranks);
    const auto& names = mapped.placement.nodes;
    const auto number = static_cast<std::size_t>(std::find(names.begin(), names.end(), node.name) - names.begin());
    is_again = is_again || mapped.slots[number] != 0;
    mapped.slots[number] += ranks;
  }
  mapped.picture += "#####\n";
  mapped.policies = {"bind-to " + request.bind_to,
                     "map-by " + (request.map_by.empty() ? request.bind_to : request.map_by)};
  for (const std::string& option : words.ignored) mapped.notes.push_back(option + " is ignored");
  if (is_again && request.bind_to != "none")
    mapped.notes.emplace_back(
        "a node is named again later in the list: mpiexec binds its ranks there from the first cpu again");
  if (request.bind_to != "none" && !request.topology)
    mapped.notes.emplace_back("bindings are not known without --topology");
  return mapped;
}

}  // namespace mora::cli
