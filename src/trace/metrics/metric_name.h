/// Names of counters in formats that have no place for units: "BYTES [bytes]". Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "trace/definitions.h"

namespace mora::trace {

/// Without a unit the name alone.
inline std::string name_with_unit(const Metric& metric) {
  return metric.unit.empty() ? metric.name : metric.name + " [" + metric.unit + "]";
}

/// … and back.
inline Metric metric_named(std::string_view text) {
  const auto bracket = text.rfind(" [");
  if (bracket == text.npos || bracket == 0 || !text.ends_with(']') || text.size() - bracket < 4)
    return {std::string(text), ""};
  return {std::string(text.substr(0, bracket)), std::string(text.substr(bracket + 2, text.size() - bracket - 3))};
}

}  // namespace mora::trace
