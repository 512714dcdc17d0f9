/// The metric ideal-network-time: how long every user region and interval would have taken on a network without cost.
///
/// From the replay (src/replay/). The value stands at the region's or interval's own call path, calls in it included;
/// so its inclusive sum is the time on the ideal network, and T_ideal of an interval is the largest of its processes
/// (POP metrics, Transfer Efficiency; Mora's rule ideal-network).
#pragma once

#include <memory>

#include "analysis/core/call_tree.h"
#include "analysis/result.h"
#include "replay/replay.h"

namespace mora::analysis {

/// Adds the times and the replay's data quality to the result. Nodes that the tree does not have are left out (there
/// are none if both read the same trace).
void add_ideal_times(const replay::Replayed& replayed, const trace::Definitions& definitions,
                     const GlobalCallTree& tree, AnalysisResult& result);

/// What the replay needs, to be taken along while the trace is read; workers and memory as in AnalyzeOptions.
std::unique_ptr<replay::ReplayInput> input_for_ideal_times(trace::Source& source, unsigned workers,
                                                           std::uint64_t memory, const ProgressCallback& progress);
/// Adds what came out of the replay. One that failed (no space in $TMPDIR) is a line of the data quality: the rest of
/// the analysis is none the worse.
void add_ideal_times(const Result<replay::Replayed>& replayed, const trace::Definitions& definitions,
                     const GlobalCallTree& tree, AnalysisResult& result);

}  // namespace mora::analysis
