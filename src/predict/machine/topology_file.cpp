/// One function for each kind: its keys, then its class.
#include "predict/machine/topology_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mora::predict {

namespace {

using Json = nlohmann::json;
using Why = tl::unexpected<std::string>;

/// So that products stay far below 2^64.
constexpr std::uint64_t most = 1'000'000;

bool is_count(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 && value.get<std::uint64_t>() <= most;
}

tl::expected<std::uint64_t, std::string> count(const Json& from, const char* key) {
  if (!from.contains(key) || !is_count(from[key]))
    return Why(fmt::format("{} of topology is not a whole number from 1 to {}", key, most));
  return from[key].get<std::uint64_t>();
}

/// A list of at most 8.
tl::expected<std::vector<std::uint64_t>, std::string> counts(const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end() || !found->is_array() || found->empty() || found->size() > 8 ||
      !std::all_of(found->begin(), found->end(), is_count))
    return Why(fmt::format("{} of topology is not a list of one to eight whole numbers from 1 to {}", key, most));
  return found->get<std::vector<std::uint64_t>>();
}

tl::expected<std::shared_ptr<const Topology>, std::string> dragonfly(const Json& from) {
  DragonflyShape s;
  for (const auto& [key, into] : {std::pair{"nodes_per_router", &s.nodes_per_router},
                                  {"routers_per_group", &s.routers_per_group},
                                  {"global_links_per_router", &s.global_links_per_router},
                                  {"groups", &s.groups}}) {
    const auto value = count(from, key);
    if (!value) return Why(value.error());
    *into = *value;
  }
  if (s.groups > s.routers_per_group * s.global_links_per_router + 1)
    return Why(fmt::format("a group of topology has {} links to others, which are {}",
                           s.routers_per_group * s.global_links_per_router, s.groups - 1));
  return std::make_shared<Dragonfly>(s);
}

}  // namespace

tl::expected<TopologyCosts, std::string> topology_of(const Json& from) {
  if (!from.is_object()) return Why("topology is not an object");
  TopologyCosts costs;
  const auto is_cost = [](const Json& value) {
    return value.is_number() && value.get<double>() >= 0 && std::isfinite(value.get<double>());
  };
  const auto latency = from.find("hop_latency_ns"), link = from.find("link_ns_per_byte");
  if (latency == from.end() || !is_cost(*latency))
    return Why("hop_latency_ns of topology is not a number that is 0 or more");
  costs.hop_latency_ns = latency->get<double>();
  if (link != from.end() && !is_cost(*link))
    return Why("link_ns_per_byte of topology is not a number that is 0 or more");
  if (link != from.end()) costs.link_ns_per_byte = link->get<double>();
  const std::string kind = from.contains("kind") && from["kind"].is_string() ? from["kind"].get<std::string>() : "";
  std::vector<std::string> known = {"kind", "hop_latency_ns", "link_ns_per_byte"};
  if (kind == "switch") {
    costs.topology = std::make_shared<SingleSwitch>();
  } else if (kind == "fat_tree") {
    known.emplace_back("down");
    auto down = counts(from, "down");
    if (!down) return Why(down.error());
    costs.topology = std::make_shared<FatTree>(std::move(*down));
  } else if (kind == "torus") {
    known.emplace_back("extents");
    auto extents = counts(from, "extents");
    if (!extents) return Why(extents.error());
    costs.topology = std::make_shared<Torus>(std::move(*extents));
  } else if (kind == "dragonfly") {
    known.insert(known.end(), {"nodes_per_router", "routers_per_group", "global_links_per_router", "groups"});
    auto made = dragonfly(from);
    if (!made) return Why(made.error());
    costs.topology = std::move(*made);
  } else {
    return Why(R"(kind of topology is none of "switch", "fat_tree", "torus", "dragonfly")");
  }
  for (const auto& [key, value] : from.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Why(fmt::format("topology has an unknown key {}", key));
  }
  return costs;
}

}  // namespace mora::predict
