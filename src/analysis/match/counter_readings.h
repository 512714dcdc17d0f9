/// Readings of counters on one location: how much was computed (PAPI_TOT_INS, PAPI_TOT_CYC), and what the kernel
/// counted of the thread, whether it had a core above all (base/core_counters.h). What a counter gained between two
/// readings belongs to computation if all the time between them is computation (Mora's rules overlap and not-running).
/// O(1) per reading. Not thread-safe.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/core_counters.h"
#include "base/time.h"
#include "trace/definitions.h"

namespace mora::analysis {

class CounterReadings {
 public:
  enum Counter : std::uint8_t {
    instructions,
    cycles,
    cpu_time,
    run_queue,
    kernel_time,
    page_faults,
    voluntary_switches,
    involuntary_switches,
    others
  };
  /// Between two readings.
  struct Gain {
    std::int64_t amount = 0;   ///< >= 0
    Nanoseconds duration = 0;  ///< between them
    bool is_computation = false;
  };

  explicit CounterReadings(const trace::Definitions& definitions) {
    static constexpr const char* names[others] = {
        "PAPI_TOT_INS",      "PAPI_TOT_CYC",     cpu_time_counter,         run_queue_counter,
        kernel_time_counter, page_fault_counter, voluntary_switch_counter, involuntary_switch_counter};
    for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m) {
      for (int counter = 0; counter < others; ++counter) {
        if (definitions.metrics[m].name == names[counter]) readings_[counter].metric = m;
      }
    }
    for (Reading& reading : readings_)
      reading.is_difference = reading.metric != none && definitions.metrics[reading.metric].is_difference;
  }
  /// Of an index in Definitions::metrics.
  Counter which(std::uint32_t metric) const {
    int counter = 0;
    while (counter < others && (metric == none || readings_[counter].metric != metric)) ++counter;
    return static_cast<Counter>(counter);
  }
  /// What the counter gained since the reading before; nothing if there was none or it ran backwards. `computed`: the
  /// location's computation up to `time`.
  std::optional<Gain> read(Counter counter, double value, Nanoseconds time, Nanoseconds computed) {
    Reading& reading = readings_[counter];
    const double gained = reading.is_difference ? value : value - reading.value;
    const Gain gain{gained >= 0 && gained < 9e18 ? std::llround(gained) : -1, time - reading.time,
                    time - reading.time == computed - reading.computed};
    const bool was_known = reading.is_known;
    reading.is_known = std::isfinite(value);
    reading.value = value;
    reading.time = time;
    reading.computed = computed;
    if (!was_known || !reading.is_known || gain.amount < 0) return std::nullopt;
    return gain;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct Reading {
    std::uint32_t metric = none;
    double value = 0;
    Nanoseconds time = 0;
    Nanoseconds computed = 0;
    bool is_known = false;
    bool is_difference = false;
  };
  std::array<Reading, others> readings_;
};

}  // namespace mora::analysis
