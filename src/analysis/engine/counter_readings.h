/// Readings of the counters that say how much was computed, on one location: PAPI_TOT_INS and PAPI_TOT_CYC. What a
/// counter gained between two readings belongs to computation if all the time between them is computation (Mora's rule
/// overlap). O(1) per reading. Not thread-safe.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::analysis {

class CounterReadings {
 public:
  enum Counter : std::uint8_t { instructions, cycles, others };

  explicit CounterReadings(const trace::Definitions& definitions) {
    for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m) {
      if (definitions.metrics[m].name == "PAPI_TOT_INS") readings_[instructions].metric = m;
      if (definitions.metrics[m].name == "PAPI_TOT_CYC") readings_[cycles].metric = m;
    }
  }
  bool exist() const { return readings_[0].metric != none || readings_[1].metric != none; }
  /// Of an index in Definitions::metrics.
  Counter which(std::uint32_t metric) const {
    if (metric == none) return others;
    return metric == readings_[0].metric ? instructions : metric == readings_[1].metric ? cycles : others;
  }
  /// What the computation since the reading before gained; 0 if there was none, other time passed too, or the counter
  /// ran backwards. `computed`: the location's computation up to `time`.
  std::int64_t read(Counter counter, double value, Nanoseconds time, Nanoseconds computed) {
    Reading& reading = readings_[counter];
    const double gained = value - reading.value;
    const bool all_computed = reading.is_known && time - reading.time == computed - reading.computed;
    reading.is_known = std::isfinite(value);
    reading.value = value;
    reading.time = time;
    reading.computed = computed;
    return all_computed && reading.is_known && gained > 0 && gained < 9e18 ? std::llround(gained) : 0;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct Reading {
    std::uint32_t metric = none;
    double value = 0;
    Nanoseconds time = 0;
    Nanoseconds computed = 0;
    bool is_known = false;
  };
  std::array<Reading, 2> readings_;
};

}  // namespace mora::analysis
