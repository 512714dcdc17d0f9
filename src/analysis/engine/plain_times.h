/// The dimensions of a result, and plain times and counts of one location: from its local call tree to the scores.
/// O(nodes x depth of the metric tree).
#pragma once

#include "analysis/core/call_tree.h"
#include "analysis/core/scores.h"
#include "analysis/metrics/classification.h"

namespace mora::analysis {

/// All metrics, the call paths of a merged tree, the locations, and the facts of the run that follow from them.
void set_dimensions(AnalysisResult& result, const trace::Definitions& definitions, const GlobalCallTree& tree);

/// `global`: call path of each local node; `counters`: counters of the trace that are metrics (metrics/counted.h).
/// Times go to the account's metric and all its ancestors.
void add_plain_times(const LocalCallTree& tree, cube::LocationId location, const std::vector<RegionTraits>& regions,
                     const std::vector<std::uint32_t>& global, std::uint32_t counters, Scores& scores);

}  // namespace mora::analysis
