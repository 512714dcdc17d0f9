/// The placement simulator GetInfo (Kotomatas 2018, chapter 5). Mapping visits resources round by round and skips what
/// is exhausted; when all cores are taken it starts over (the next round) on the nodes whose max-slots allow it.
/// Ranking sorts the chosen cores: that reproduces Figures 5.5 to 5.7; by node it is not the round robin that the text
/// of 5.3.3 describes (rule `map-modes`, docs/rules.md). Cost: n log n for n ranks. Limits: nodes have slots and cores,
/// and nothing else; nothing is bound.
#include "predict/placement/kotomatas/kotomatas_placement.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

namespace mora::predict {

namespace {

/// The free cores of a node or slot, in order; one visit takes cores from it.
struct Resource {
  std::vector<Place> cores;
  std::size_t taken = 0;
};

/// How many cores of the node can be taken in a round: a round begins when all cores of the rounds before are taken.
std::uint64_t capacity_of(const KotomatasNode& node, std::uint32_t round) {
  if (node.max_slots == 0) return node.cores();
  const std::uint64_t most = std::uint64_t{node.max_slots} * node.cores_per_slot,
                      taken = std::min(most, node.cores() * round);
  return std::min(node.cores(), most - taken);
}

std::vector<Resource> resources_of(const KotomatasCluster& cluster, By by, std::uint32_t round) {
  std::vector<Resource> resources;
  for (std::uint32_t n = 0; n < cluster.size(); ++n) {
    std::uint64_t capacity = capacity_of(cluster[n], round);
    if (capacity == 0) continue;
    if (by == By::node) resources.emplace_back();
    for (std::uint32_t s = 0; s < cluster[n].slots && capacity > 0; ++s) {
      if (by == By::slot) resources.emplace_back();
      for (std::uint32_t c = 0; c < cluster[n].cores_per_slot && capacity > 0; ++c, --capacity) {
        if (by == By::core) resources.emplace_back();
        resources.back().cores.push_back({n, s, c, round});
      }
    }
  }
  return resources;
}

}  // namespace

std::vector<Place> map_cores(const KotomatasCluster& cluster, const KotomatasRequest& request) {
  std::vector<Place> places;
  places.reserve(request.processes);
  for (std::uint32_t round = 0; places.size() < request.processes; ++round) {
    std::vector<Resource> resources = resources_of(cluster, request.map_by, round);
    if (resources.empty()) return places;
    for (bool took = true; took && places.size() < request.processes;) {
      took = false;
      for (Resource& resource : resources) {
        for (std::uint32_t i = 0; i < request.per_resource && resource.taken < resource.cores.size(); ++i) {
          if (places.size() == request.processes) return places;
          places.push_back(resource.cores[resource.taken++]);
          took = true;
        }
      }
    }
  }
  return places;
}

Result<std::vector<Place>> place(const KotomatasCluster& cluster, const KotomatasRequest& request) {
  std::uint64_t cores = 0, most = 0;
  bool has_limit = true;
  for (const KotomatasNode& node : cluster) {
    cores += node.cores();
    most += std::uint64_t{node.max_slots} * node.cores_per_slot;
    has_limit = has_limit && node.max_slots != 0;
  }
  if (!request.oversubscribe && request.processes > cores) {
    return fail(ErrorKind::usage, "Cluster cannot handle that many processes! (disable no-oversubscription flag)", "",
                fmt::format("{} processes, {} cores", request.processes, cores));
  }
  if (has_limit && request.processes > most) {
    return fail(ErrorKind::usage, "Cluster cannot handle that many processes!", "",
                fmt::format("{} processes, max-slots allow {}", request.processes, most));
  }
  std::vector<Place> places = map_cores(cluster, request);
  const auto key = [&](const Place& p) -> std::array<std::uint32_t, 4> {
    switch (request.rank_by) {
      case By::node:
        return {p.round, p.slot, p.core, p.node};
      case By::slot:
        return {p.round, p.core, p.node, p.slot};
      case By::core:
        break;
    }
    return {p.round, p.node, p.slot, p.core};
  };
  std::stable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return key(a) < key(b); });
  return places;
}

Placement to_placement(const KotomatasCluster& cluster, const std::vector<Place>& places) {
  Placement placement;
  for (const KotomatasNode& node : cluster) placement.nodes.push_back(node.name);
  for (const Place& p : places) {
    placement.node_of.push_back(p.node);
    placement.core.push_back(fmt::format("{}{}", p.round > 0 ? "o" : "", p.core));
    placement.slot.push_back(std::to_string(p.slot));
  }
  return placement;
}

std::string rankfile_text(const KotomatasCluster& cluster, const std::vector<Place>& places) {
  std::string out;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const KotomatasNode& node = cluster[places[rank].node];
    out += fmt::format("rank {}={} slot={}\n", rank, node.name,
                       places[rank].slot * node.cores_per_slot + places[rank].core);
  }
  return out;
}

}  // namespace mora::predict
