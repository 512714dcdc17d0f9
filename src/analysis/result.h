/// What an analysis leaves: the cube, the most severe instances, facts of the run, data quality.
/// report/ turns it into findings.json, text, HTML. Produced by analyze() (analysis/analyze.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/rma_rules.h"
#include "analysis/trend.h"
#include "base/data_quality.h"
#include "base/time.h"
#include "cube/cube.h"
#include "cube/kept/waiting_over_time.h"

namespace mora::analysis {

/// The most severe single occurrence of a wait state at one call path.
struct WorstInstance {
  Nanoseconds begin = 0;  ///< the waiting starts, ns from the start of the trace
  Nanoseconds end = 0;
  cube::LocationId location = 0;                   ///< who waited
  cube::LocationId cause = cube::no_id;            ///< who was waited for; no_id = unknown
  cube::CallPathId cause_call_path = cube::no_id;  ///< the call the cause was in when it ended the waiting
  cube::CallPathId call_path = cube::no_id;        ///< where it waited
};

/// How long single waits were. Quartiles are nearest ranks, exact for up to 64 waits and below 4096 ns, else too small
/// by less than 1/2048 (core/distribution.h); all else is exact. The same for every number of workers and partitions.
struct WaitStatistics {
  std::uint64_t count = 0;
  Nanoseconds sum = 0;
  Nanoseconds min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, max = 0;
  friend bool operator==(const WaitStatistics&, const WaitStatistics&) = default;
};

/// The critical path is on this location in [from, to).
struct PathPiece {
  cube::LocationId location = 0;
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};

/// So many of the most severe waits are named.
inline constexpr std::size_t instances_listed = 10;

/// What one call of one location caused.
struct CausedWaiting {
  cube::LocationId location = 0;
  cube::CallPathId call_path = cube::no_id;  ///< no_id = unknown
  Nanoseconds amount = 0;
};

/// One wait state over the whole trace.
struct MetricWaits {
  cube::MetricId metric = 0;
  WaitStatistics statistics;
  std::vector<WorstInstance> most_severe;  ///< at most instances_listed
};

/// What the search for loops made of a program without marks (trace/intervals/phases.h): no call of the program.
inline bool is_found_iteration(const cube::CallPath& path) {
  return path.kind == cube::CallPathKind::interval && path.name == "iteration";
}

/// The waiting at one node of the call tree.
struct WaitPart {
  cube::CallPathId call_path = 0;
  std::uint64_t instances = 0;
  Nanoseconds total = 0;  ///< equals the cube's sum of this cell row
};

/// All waiting of one wait state at one call path, inside of found iterations and outside.
struct WaitSummary {
  cube::MetricId metric = 0;
  cube::CallPathId call_path = 0;  ///< of the first part
  std::vector<WaitPart> parts;     ///< largest first, ties by call path; empty: all of it is at call_path
  std::uint64_t instances = 0;     ///< how often it was > 0
  Nanoseconds total = 0;           ///< of all parts
  WorstInstance worst;
  /// ns of waiting that each location *caused*, largest first, ties by location; at most 16 entries, the
  /// rest summed in caused_by_others.
  std::vector<std::pair<cube::LocationId, Nanoseconds>> caused_by;
  Nanoseconds caused_by_others = 0;
  /// The same by location and call path of the cause: largest first, at most 16 entries.
  std::vector<CausedWaiting> caused_by_calls;
  Nanoseconds caused_by_other_calls = 0;
  WaitStatistics statistics;
  std::vector<WorstInstance> most_severe;  ///< at most instances_listed; the first is `worst`
};

struct RunFacts {
  std::string program;
  std::string trace;  ///< path that was analysed
  std::string trace_format;
  std::uint32_t ranks = 0;
  std::uint32_t locations = 0;
  std::uint64_t events = 0;
  Nanoseconds wall = 0;  ///< the measured time (trace/measured_time.h)
};

struct AnalysisResult {
  cube::Cube cube;
  std::vector<WaitSummary> waits;         ///< sorted by total descending, then metric, then call path
  std::vector<MetricWaits> wait_metrics;  ///< every wait state that occurs, by metric
  /// What AnalyzeOptions::follow asked for: every wait, by (begin, location, …).
  std::vector<WorstInstance> followed;
  /// With AnalyzeOptions::path: the whole critical path, from the start of the run to its end, without gaps.
  std::vector<PathPiece> critical_path;
  cube::WaitingOverTime waiting_over_time;  ///< of waiting_metrics() (efficiency/interval_table.h): disjoint
  std::vector<CallTrend> trends;  ///< of stretches of computation, by call path and location; steady ones are left out
  std::vector<CheckFinding> checks;     ///< rules of one-sided communication that were broken (checks/)
  std::vector<TransferCell> transfers;  ///< who transferred how much to whom
  std::vector<std::string> windows;     ///< names, by WindowId
  RunFacts run;
  DataQuality quality;
};

}  // namespace mora::analysis
