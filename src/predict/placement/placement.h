/// The node, slot and core of every rank: the result of placing, the input of node matrices and features. Pure
/// functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict {

struct Placement {
  std::vector<std::string> nodes;      ///< in order of the cluster (or of first mention)
  std::vector<std::uint32_t> node_of;  ///< by rank: index of nodes
  std::vector<std::string> core,
      slot;  ///< by rank, as printed ("o0"); empty (the text or the whole vector) if not known
  std::uint32_t size() const { return static_cast<std::uint32_t>(node_of.size()); }
};

/// Reads `rank core:slot:node` lines (what `mora map` prints; blank lines and lines that begin with '#' are skipped),
/// or a rankfile (`rank N=HOST slot=…`). `name` is for messages. Errors (unreadable): file:line:column, what was
/// expected; ranks missing or given twice. An unknown core or slot is "-" in the lines and empty here.
Result<Placement> parse_placement(std::string_view text, const std::string& name);

/// The `rank core:slot:node` lines, without a header.
std::string placement_text(const Placement& placement);

}  // namespace mora::predict
