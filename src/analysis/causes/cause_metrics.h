/// The metrics of causes/: their ids by class, and how amounts reach a metric and its ancestors.
#pragma once

#include "analysis/metric_info.h"
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

/// Metrics of the splits, by the group of the wait's DelayClass.
enum class Split { direct, indirect, propagating, terminal };

cube::MetricId short_term_metric(DelayClass delay);
cube::MetricId long_term_metric(DelayClass delay);
cube::MetricId split_metric(Split split, DelayClass delay);

/// Adds to the metric and all its ancestors: cells are inclusive along the metric tree.
void count_up(WaitSink& sink, cube::MetricId metric, cube::CallPathId call_path, cube::LocationId location,
              Nanoseconds amount);

}  // namespace mora::analysis
