/// The plain metrics, one table per file; registry.cpp puts them and the wait states in order.
#pragma once

#include <vector>

#include "analysis/metric_info.h"

namespace mora::analysis {

/// Times that need no rule but the name of a call, in tree order; wait states are put behind their parents.
const std::vector<MetricInfo>& time_metrics();
/// Visits, messages, bytes, instances.
const std::vector<MetricInfo>& count_metrics();

/// all_metrics() as a cube lists them.
const SharedList<cube::Metric>& metrics_of_cubes();

}  // namespace mora::analysis
