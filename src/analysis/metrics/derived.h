/// Metrics that are computed from others once all amounts are known (derived.cpp).
#pragma once

#include <vector>

#include "analysis/metric_info.h"
#include "analysis/result.h"

namespace mora::analysis {

/// Fills the metrics of the imbalance heuristic and unexplained synchronisation. To be called once, when the cube's
/// cells are complete; the same on every process. Not thread-safe.
void add_derived_metrics(AnalysisResult& result);

/// Their texts, parents before children.
const std::vector<MetricInfo>& derived_metrics();

}  // namespace mora::analysis
