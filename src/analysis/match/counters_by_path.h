/// Counters of the trace that become metrics of the result (metrics/counted.h), read on one location. What a counter
/// gained since the reading before belongs to the region in which it is read: recorders read right before an enter and
/// right before a leave. Of a function or a stretch of computation whose node is not known yet it waits by depth in the
/// stack. O(1) per reading. Not thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/core/call_tree.h"
#include "analysis/metrics/counted.h"
#include "trace/metrics/metric_value.h"

namespace mora::analysis {

class CountersByPath {
 public:
  explicit CountersByPath(const trace::Definitions& definitions) : counter_of_(definitions.metrics.size(), no_id) {
    for (const std::uint32_t metric : counted_metrics(definitions)) {
      counter_of_[metric] = static_cast<std::uint32_t>(readings_.size());
      readings_.push_back({{}, false, definitions.metrics[metric].is_difference});
    }
  }
  /// `metric`: index of the trace's. A counter that ran backwards begins anew; what it gained while the program was not
  /// observed is not known. True: something waits for the node of `depth`.
  bool read(std::uint32_t metric, const trace::MetricValue& value, bool is_observed, std::size_t depth) {
    if (metric >= counter_of_.size() || counter_of_[metric] == no_id) return false;
    Reading& reading = readings_[counter_of_[metric]];
    const double gained = reading.is_difference ? value.number() : trace::gained(reading.value, value);
    const bool is_gain = (reading.is_known || reading.is_difference) && is_observed && gained >= 0.5 && gained < 9e18;
    reading.is_known = std::isfinite(value.number());
    reading.value = value;
    if (!is_gain) return false;
    if (waiting_.size() < (depth + 1) * readings_.size()) waiting_.resize((depth + 1) * readings_.size());
    waiting_[depth * readings_.size() + counter_of_[metric]] += std::llround(gained);
    return true;
  }
  /// The program was not observed until now: the next reading begins anew.
  void forget() {
    for (Reading& reading : readings_) reading.is_known = false;
  }
  /// What waits at `depth` is the node's.
  void resolve(std::size_t depth, std::uint32_t node, LocalCallTree& tree) {
    const auto counters = static_cast<std::uint32_t>(readings_.size());
    for (std::uint32_t c = 0; c < counters; ++c) {
      std::int64_t& amount = waiting_[depth * counters + c];
      if (amount != 0) tree.count(node, c, counters, amount);
      amount = 0;
    }
  }

 private:
  static constexpr std::uint32_t no_id = 0xFFFFFFFF;
  struct Reading {
    trace::MetricValue value;
    bool is_known = false;
    bool is_difference = false;
  };
  std::vector<std::uint32_t> counter_of_;  ///< by metric of the trace
  std::vector<Reading> readings_;
  std::vector<std::int64_t> waiting_;  ///< by depth and counter
};

}  // namespace mora::analysis
