/// The metrics of causes/: their ids by class. Only these leaves are counted; add_cause_sums() adds up their parents.
#pragma once

#include "analysis/metric_info.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

/// Metrics of the splits, by the group of the wait's DelayClass.
enum class Split { direct, indirect, propagating, terminal };

cube::MetricId short_term_metric(DelayClass delay);
cube::MetricId long_term_metric(DelayClass delay);
cube::MetricId split_metric(Split split, DelayClass delay);

}  // namespace mora::analysis
