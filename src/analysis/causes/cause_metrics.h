/// The ids of the metrics of causes/, by class of delay. Only these leaves are counted while waits are processed;
/// add_cause_sums() adds up their parents. Texts: family.cpp. Safe from any thread.
#pragma once

#include <array>

#include "analysis/metric_info.h"

namespace mora::analysis {

/// Metrics of the splits, by the group of the wait's DelayClass.
enum class Split { direct, indirect, propagating, terminal };

/// All of them, for those who ask for each wait; 0 for DelayClass::none.
struct CauseIds {
  using ByClass = std::array<cube::MetricId, delay_classes>;
  ByClass short_term_of{}, long_term_of{};
  std::array<ByClass, 4> split_of{};

  cube::MetricId short_term(DelayClass delay) const { return short_term_of[static_cast<std::size_t>(delay)]; }
  cube::MetricId long_term(DelayClass delay) const { return long_term_of[static_cast<std::size_t>(delay)]; }
  cube::MetricId split(Split split, DelayClass delay) const {
    return split_of[static_cast<std::size_t>(split)][static_cast<std::size_t>(delay)];
  }
};
const CauseIds& cause_ids();

}  // namespace mora::analysis
