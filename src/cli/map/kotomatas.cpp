/// `mora map --mode kotomatas`: the options of the placement simulator of Kotomatas 2018 (chapter 5, figure 5.1).
#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text/did_you_mean.h"
#include "cli/map/modes.h"
#include "predict/placement/kotomatas/kotomatas_placement.h"
#include "predict/placement/line_words.h"
#include "predict/placement/physical_rankfile.h"

namespace mora::cli {
namespace {

using predict::By;

Result<predict::KotomatasCluster> cluster_of(const MapWords& words) {
  predict::KotomatasSystem system;
  MORA_TRY(system.cores_per_slot, number_option(words, "core", 1));
  if (words.has("host")) {
    for (const std::string& list : words.options.at("host")) {
      for (const std::string& host : names_in(list)) system.hosts.push_back(host);
    }
  }
  if (words.has("hostfile")) {
    for (const char* option : {"nodes", "slots"}) {
      if (words.has(option))
        return fail(ErrorKind::usage, fmt::format("--{} and a hostfile", option), "mora map", "the hostfile says it");
    }
    const std::string file = words.get("hostfile");
    MORA_TRY(const std::string text, read_file(file));
    MORA_TRY(system.hostfile, predict::parse_hostfile(text, file));
    return make_cluster(system);
  }
  if (system.hosts.empty()) {
    MORA_TRY(system.nodes,
             number_or_ask(words, "nodes", "Please specify number of host on the cluster:", "hosts of the cluster"));
  } else if (words.has("nodes")) {
    return fail(ErrorKind::usage, "--nodes and --host", "mora map", "--host names the nodes");
  }
  MORA_TRY(system.slots_per_node,
           number_or_ask(words, "slots", "Please specify number of slots on each host:", "slots on each host"));
  return make_cluster(system);
}

Result<By> by_named(const std::string& name, const char* option, const char* expected) {
  if (name == "node" || name == "host") return By::node;  // the source uses both names
  if (name == "slot") return By::slot;
  if (name == "core") return By::core;
  const std::string guess = did_you_mean(name, {"node", "host", "slot", "core"});
  return fail(ErrorKind::usage, fmt::format("'{}' is not known", name), fmt::format("mora map --{}", option), expected,
              guess.empty() ? "" : fmt::format("did you mean {}?", guess));
}

Result<predict::KotomatasRequest> kotomatas_request(const MapWords& words) {
  predict::KotomatasRequest request;
  MORA_TRY(request.processes, number_option(words, "np", 1));
  request.oversubscribe = !words.has("nooversubscribe");
  if (words.has("map-by")) {
    constexpr const char* expected = "expected node, slot, core, or ppr:N:node, ppr:N:slot, ppr:N:core";
    std::string name = words.get("map-by");
    if (name.starts_with("ppr:")) {
      const std::size_t colon = name.find(':', 4);
      const auto number =
          predict::whole_number(std::string_view(name).substr(4, colon == name.npos ? name.npos : colon - 4));
      if (colon == name.npos || !number || *number == 0)
        return fail(ErrorKind::usage, fmt::format("'{}' is not known", name), "mora map --map-by", expected);
      request.per_resource = *number;
      name = name.substr(colon + 1);
    }
    MORA_TRY(request.map_by, by_named(name, "map-by", expected));
  }
  if (words.has("rank-by")) {
    MORA_TRY(request.rank_by, by_named(words.get("rank-by"), "rank-by", "expected node (or host), slot or core"));
  }
  if (words.has("bynode")) {
    const bool maps_otherwise = words.has("map-by") && (request.map_by != By::node || request.per_resource != 1);
    const bool ranks_otherwise = words.has("rank-by") && request.rank_by != By::node;
    if (maps_otherwise || ranks_otherwise) {
      return fail(ErrorKind::usage,
                  fmt::format("--bynode and --{} {}", maps_otherwise ? "map-by" : "rank-by",
                              words.get(maps_otherwise ? "map-by" : "rank-by")),
                  "mora map", "--bynode means --map-by node --rank-by node", "give one of them");
    }
    request.map_by = request.rank_by = By::node;
  }
  return request;
}

const char* name_of(By by) { return by == By::node ? "node" : by == By::slot ? "slot" : "core"; }

/// With a rankfile all other options are ignored and no system of nodes is built (Kotomatas 2018, 5).
Result<Mapped> map_rankfile(const std::string& file) {
  MORA_TRY(const std::string text, read_file(file));
  MORA_TRY(const auto ranks, predict::parse_physical_rankfile(text, file));
  if (ranks.empty())
    return fail(ErrorKind::unreadable, "the rankfile places no rank", file, "", "expected lines: rank N=HOST slot=P");
  Mapped mapped;
  for (const predict::PhysicalRank& rank : ranks) {
    auto& nodes = mapped.placement.nodes;
    const auto found = std::find(nodes.begin(), nodes.end(), rank.host);
    mapped.placement.node_of.push_back(static_cast<std::uint32_t>(found - nodes.begin()));
    if (found == nodes.end()) nodes.push_back(rank.host);
    mapped.placement.core.emplace_back("0");
    mapped.placement.slot.push_back(std::to_string(rank.slot));
    mapped.rank_numbers.push_back(rank.rank);
    mapped.rankfile += fmt::format("rank {}={} slot={}\n", rank.rank, rank.host, rank.slot);
  }
  mapped.slots.assign(mapped.placement.nodes.size(), 0);
  for (const std::uint32_t node : mapped.placement.node_of) ++mapped.slots[node];
  mapped.policies = {"rankfile " + file};
  return mapped;
}

}  // namespace

Result<Mapped> map_as_kotomatas(const MapWords& words) {
  if (words.has("topology")) {
    return fail(ErrorKind::usage, "--topology and --mode kotomatas", "mora map",
                "in this mode nodes have slots and cores, but no packages or caches",
                "give --core N, or #cores=N in the hostfile");
  }
  if (words.has("rankfile")) return map_rankfile(words.get("rankfile"));
  MORA_TRY(const predict::KotomatasRequest request, kotomatas_request(words));
  MORA_TRY(const predict::KotomatasCluster cluster, cluster_of(words));
  MORA_TRY(const auto places, place(cluster, request));
  Mapped mapped;
  mapped.placement = to_placement(cluster, places);
  for (const predict::KotomatasNode& node : cluster) mapped.slots.push_back(node.slots * node.cores_per_slot);
  mapped.seats = [cluster](const std::string& name, std::uint32_t ranks) -> Result<std::vector<Seat>> {
    const auto node = std::find_if(cluster.begin(), cluster.end(), [&](const auto& n) { return n.name == name; });
    std::vector<Seat> seats;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto taken = static_cast<std::uint32_t>(rank % node->cores());
      seats.push_back({fmt::format("{}{}", taken == rank ? "" : "o", taken % node->cores_per_slot),
                       std::to_string(taken / node->cores_per_slot), std::to_string(taken)});
    }
    return seats;
  };
  mapped.picture = picture(cluster);
  mapped.rankfile = rankfile_text(cluster, places);
  const std::string map_by = request.per_resource == 1
                                 ? name_of(request.map_by)
                                 : fmt::format("ppr:{}:{}", request.per_resource, name_of(request.map_by));
  mapped.policies = {"map-by " + map_by, std::string("rank-by ") + name_of(request.rank_by)};
  if (request.per_resource != 1 && request.map_by == By::core)
    mapped.notes.emplace_back("map-by core takes every core in turn, so the number of ppr is ignored");
  return mapped;
}

}  // namespace mora::cli
