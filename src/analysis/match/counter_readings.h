/// Readings of counters on one location: how much was computed (PAPI_TOT_INS, PAPI_TOT_CYC), and what the kernel
/// counted of the thread, whether it had a core above all (base/core_counters.h). What a counter gained between two
/// readings belongs to computation if all the time between them is computation (Mora's rules overlap and not-running).
/// Readings at marks of intervals are of whole intervals (interval_shares.h); which stretches of computation are read
/// is by chance, and they do not change that. O(1) per reading. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/core_counters.h"
#include "base/time.h"
#include "trace/definitions.h"
#include "trace/metrics/metric_value.h"

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
  /// Since an earlier reading.
  struct Gain {
    std::int64_t amount = 0;  ///< >= 0
    Nanoseconds duration = 0;
  };
  struct Gains {
    std::optional<Gain> all;          ///< since the one before
    std::optional<Gain> computation;  ///< since the last one that was not at a mark, if nothing but computation since
  };

  explicit CounterReadings(const trace::Definitions& definitions) {
    static constexpr const char* names[others] = {
        "PAPI_TOT_INS",      "PAPI_TOT_CYC",     cpu_time_counter,         run_queue_counter,
        kernel_time_counter, page_fault_counter, voluntary_switch_counter, involuntary_switch_counter};
    // perf's names for the first two, counted outside of the kernel or everywhere; PAPI's are looked for first
    static constexpr const char* of_perf[2][2] = {{"instructions:u", "instructions"}, {"cycles:u", "cycles"}};
    for (int counter = 0; counter < others; ++counter) {
      readings_[counter].metric = number_of(definitions, names[counter]);
      for (const char* name : counter <= cycles ? of_perf[counter] : std::span<const char* const>())
        if (readings_[counter].metric == none) readings_[counter].metric = number_of(definitions, name);
    }
    counter_of_.resize(definitions.metrics.size(), others);
    for (int counter = others - 1; counter >= 0; --counter) {
      Reading& reading = readings_[counter];
      if (reading.metric == none) continue;
      reading.is_difference = definitions.metrics[reading.metric].is_difference;
      counter_of_[reading.metric] = static_cast<Counter>(counter);
    }
  }
  /// Of an index in Definitions::metrics.
  Counter which(std::uint32_t metric) const { return metric < counter_of_.size() ? counter_of_[metric] : others; }
  bool is_of_kernel(Counter counter) const { return counter >= cpu_time && counter < others; }
  bool has_any_of_kernel() const {
    return std::any_of(readings_.begin() + cpu_time, readings_.end(),
                       [](const Reading& r) { return r.metric != none; });
  }
  /// The kernel's next readings are the first: what was gained before them is not asked for.
  void forget_kernel() {
    for (int counter = cpu_time; counter < others; ++counter) {
      readings_[counter].keep_stretch();
      readings_[counter].last.is_known = false;
    }
  }
  /// What the counter gained; nothing where it was not read before, or ran backwards. `computed`: the location's
  /// computation up to `time`.
  Gains read(Counter counter, const trace::MetricValue& value, Nanoseconds time, Nanoseconds computed,
             bool is_at_mark) {
    Reading& reading = readings_[counter];
    const Known now{value, time, computed, std::isfinite(value.number())};
    Gains gains{gain(reading.last, now, reading.is_difference), {}};
    if (is_at_mark) {
      reading.keep_stretch();
      reading.last = now;
      return gains;
    }
    const Known& before = reading.has_stretch ? reading.of_stretch : reading.last;
    if (time - before.time == computed - before.computed)
      gains.computation = reading.has_stretch ? gain(before, now, reading.is_difference) : gains.all;
    reading.has_stretch = false;
    reading.last = now;
    return gains;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  /// Of several of that name the last.
  static std::uint32_t number_of(const trace::Definitions& definitions, std::string_view name) {
    std::uint32_t m = static_cast<std::uint32_t>(definitions.metrics.size());
    while (m > 0 && definitions.metrics[m - 1].name != name) --m;
    return m - 1;
  }
  struct Known {
    trace::MetricValue value;
    Nanoseconds time = 0;
    Nanoseconds computed = 0;
    bool is_known = false;
  };
  static std::optional<Gain> gain(const Known& before, const Known& now, bool is_difference) {
    const double gained = is_difference ? now.value.number() : trace::gained(before.value, now.value);
    if (!before.is_known || !now.is_known || !(gained >= 0 && gained < 9e18)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(gained);  // as most counts are
    return Gain{static_cast<double>(whole) == gained ? whole : std::llround(gained), now.time - before.time};
  }
  struct Reading {
    std::uint32_t metric = none;
    bool is_difference = false;
    bool has_stretch = false;
    Known last;
    Known of_stretch;  ///< if the last one was at a mark (has_stretch): the last one that was not
    void keep_stretch() {
      if (!has_stretch) of_stretch = last;
      has_stretch = true;
    }
  };
  std::array<Reading, others> readings_;
  std::vector<Counter> counter_of_;  ///< by metric of the trace
};

}  // namespace mora::analysis
