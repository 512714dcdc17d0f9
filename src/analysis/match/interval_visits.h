/// Which visit of an interval is its first on a location. An interval is the same by name, file, line and id within the
/// interval around it (DVM analyser, 4.2), by whatever call path it is reached. One per location; amortised O(1) per
/// visit.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "trace/definitions.h"

namespace mora::analysis {

class IntervalVisits {
 public:
  explicit IntervalVisits(const trace::Definitions& definitions) : definitions_(definitions) {}

  struct Visit {
    std::uint32_t interval = 0;  ///< its number on this location, from 1; 0 = the program
    bool is_first = false;
  };
  /// `node` of the call tree begins; `around`: the interval in which it lies. `id`: trace::Event::interval.
  Visit enter(std::uint32_t node, std::uint32_t around, trace::RegionId region, std::uint32_t id);

 private:
  using Identity = std::tuple<std::uint32_t, std::string_view, std::string_view, std::uint32_t, std::uint32_t>;
  const trace::Definitions& definitions_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_node_;
  std::map<Identity, std::uint32_t> numbers_;
};

}  // namespace mora::analysis
