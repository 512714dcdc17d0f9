/// The ids of the metrics of causes/, by class of delay. Only these leaves are counted while waits are processed;
/// add_cause_sums() adds up their parents. Texts: family.cpp. Safe from any thread.
#pragma once

#include "analysis/metric_info.h"

namespace mora::analysis {

/// Metrics of the splits, by the group of the wait's DelayClass.
enum class Split { direct, indirect, propagating, terminal };

/// `delay` is not DelayClass::none.
cube::MetricId short_term_metric(DelayClass delay);
cube::MetricId long_term_metric(DelayClass delay);
cube::MetricId split_metric(Split split, DelayClass delay);

}  // namespace mora::analysis
