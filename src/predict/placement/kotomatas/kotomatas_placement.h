/// The placement of Kotomatas's placement simulator: first cores are chosen (mapping), then they get ranks (ranking).
/// Source: Kotomatas 2018, 5.3.3. Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/placement/kotomatas/kotomatas_cluster.h"
#include "predict/placement/placement.h"

namespace mora::predict {

enum class By : std::uint8_t { node, slot, core };

struct KotomatasRequest {
  std::uint32_t processes = 1;
  By map_by = By::node;
  std::uint32_t per_resource =
      1;  ///< ppr:N:…: cores taken at each visit (map-by core visits every core, so there it says nothing)
  By rank_by = By::slot;
  bool oversubscribe = true;
};

struct Place {
  std::uint32_t node = 0, slot = 0, core = 0;  ///< indices
  std::uint32_t round = 0;                     ///< > 0: the core had been taken already
};

/// By rank. Errors (usage): more processes than cores, and oversubscribing is forbidden; more than max-slots
/// allow.
Result<std::vector<Place>> place(const KotomatasCluster& cluster, const KotomatasRequest& request);

/// The order in which cores are taken, before they get ranks.
std::vector<Place> map_cores(const KotomatasCluster& cluster, const KotomatasRequest& request);

/// "4 1:0:node1" in print; oversubscribed cores as "o0". All nodes of the cluster, with and without ranks.
Placement to_placement(const KotomatasCluster& cluster, const std::vector<Place>& places);

/// `rank N=HOST slot=P` lines; P counts the cores of the node through all its slots, which is how mpirun numbers them.
std::string rankfile_text(const KotomatasCluster& cluster, const std::vector<Place>& places);

}  // namespace mora::predict
