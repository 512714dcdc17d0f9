/// Parts of computation by function, from samples (sampled.cpp).
#pragma once

#include <vector>

#include "analysis/metric_info.h"
#include "cube/cube.h"

namespace mora::analysis {

/// Divides what a call path has among the functions that samples found in it (CallPathKind::sampled). To be called
/// once, when the cube's other cells are complete. O(call paths x locations). Not thread-safe.
void add_sampled_times(cube::Cube& cube);

/// Their texts.
const std::vector<MetricInfo>& sampled_metrics();

}  // namespace mora::analysis
