/// analyze(): from a trace to metric x call path x location, wait states and their causes. Rules and sources of each
/// metric: docs/formats/metrics.md.
///
/// The engine runs match - exchange - score over partitions of ranks (engine/README.md). The same trace gives the
/// same result, digit by digit, for every number of workers and partitions.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "analysis/result.h"
#include "base/error.h"
#include "base/progress.h"
#include "trace/intervals/interval_source.h"
#include "trace/source.h"

namespace mora::analysis {

class Carrier;

/// One wait state at one call path; ids as in the result of an analysis of the same trace.
struct FollowedCell {
  cube::MetricId metric = 0;
  std::vector<cube::CallPathId> call_paths;
};

/// None of these but `causes`, `intervals`, `ideal_network`, `follow` and `path` changes the result.
struct AnalyzeOptions {
  unsigned workers = 0;     ///< threads; 0 = usable cores
  unsigned partitions = 0;  ///< groups of ranks; 0 = as many as workers
  bool causes = true;       ///< delay costs and critical path too; needs some 20 bytes per event more
  /// Bytes of resident memory that the process keeps to, plus 32 MiB: halves then live in an unlinked file in $TMPDIR.
  /// 0: all in memory.
  std::uint64_t memory = 0;
  /// Most halves of a partition that are exchanged and scored at a time; 0: as `memory` allows. Never changes the
  /// result.
  std::uint64_t window = 0;
  /// What counts as an interval: marks always, found intervals and more regions if asked.
  trace::IntervalOptions intervals;
  /// The metric ideal-network-time, by a replay (src/replay/).
  bool ideal_network = true;
  ProgressCallback progress;
  /// Every single wait of these cells is kept (AnalysisResult::followed).
  std::optional<FollowedCell> follow;
  /// The pieces of the critical path are kept (AnalysisResult::critical_path); needs `causes`.
  bool path = false;
  /// Set from outside: the analysis ends soon, with an Error. Of one process only.
  const std::atomic<bool>* stop = nullptr;
};

/// Analyses the whole trace. Memory grows with the number of MPI calls (some 10 bytes per event), never with other
/// events. Incomplete, unmatched or contradictory input is counted in the result's data quality; an error means
/// that no location could be read. One analysis per Source at a time. Not thread-safe for one Source; it brings its own
/// threads.
Result<AnalysisResult> analyze(trace::Source& source, const std::string& trace_path, const AnalyzeOptions& options);

/// The same, shared by all processes that `carrier` joins: each calls it with the same trace and options and reads only
/// the locations of its partitions (options.partitions is not used). Fails everywhere if it fails anywhere. The whole
/// result is where carrier.is_first(); elsewhere only its dimensions count.
Result<AnalysisResult> analyze(trace::Source& source, const std::string& trace_path, const AnalyzeOptions& options,
                               Carrier& carrier);

}  // namespace mora::analysis
