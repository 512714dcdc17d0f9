/// The `topology` of a machine model's file (docs/formats/machine.md).
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "predict/machine/topology.h"

namespace mora::predict {

struct TopologyCosts {
  std::shared_ptr<const Topology> topology;
  double hop_latency_ns = 0;    ///< of each link beyond the fewest
  double link_ns_per_byte = 0;  ///< of each link that all messages share whose route it is on; 0: as much as they want
};

/// Errors (a text that says why): a kind or key that is not known, a number that is missing, 0 or too large.
tl::expected<TopologyCosts, std::string> topology_of(const nlohmann::json& from);

}  // namespace mora::predict
