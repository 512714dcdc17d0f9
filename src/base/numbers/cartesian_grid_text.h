/// A Cartesian grid in words.
#pragma once

#include <string>

#include <fmt/format.h>

#include "base/numbers/cartesian_grid.h"

namespace mora {

/// "4 x 2 (periodic)"
inline std::string extents_text(const CartesianGrid& grid) {
  std::string text;
  for (const auto& d : grid.dimensions)
    text += fmt::format("{}{}{}", text.empty() ? "" : " x ", d.extent, d.is_periodic ? " (periodic)" : "");
  return text;
}

}  // namespace mora
