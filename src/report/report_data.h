/// What every report shows, in one structure: filled from an analysis (build_report) or from findings.json
/// (read_findings); rendered as JSON, text, Markdown, CSV and HTML. The same figures, names and sentences everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/result.h"
#include "base/data_quality.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::report {

/// A place in the source; an empty file is unknown, line 0 too.
struct CallSite {
  std::string file;  ///< as recorded; empty = unknown
  std::uint32_t line = 0;
};

/// One wait.
struct Instance {
  Nanoseconds begin = 0, end = 0;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;
  std::vector<std::string> call_path;  ///< of a wait state's instances only: a finding has its own
  std::optional<std::uint32_t> cause_rank;
  std::vector<std::string> cause_call_path;  ///< labels from the root; empty = unknown
  CallSite cause_call_site;
};

/// A metric with its totals and, for wait states, statistics of single waits.
struct MetricRow {
  std::string id, name;
  std::string parent;  ///< id; empty = root
  cube::Unit unit = cube::Unit::seconds;
  std::int64_t inclusive = 0;  ///< ns, counts or bytes; over children, call tree and locations
  std::int64_t exclusive = 0;
  std::vector<std::int64_t> by_rank;    ///< inclusive, threads folded; index = rank
  analysis::WaitStatistics statistics;  ///< of a wait state's single waits; count 0 = none
  std::vector<Instance> most_severe;    ///< at most analysis::instances_listed
};

/// A rank that ended waits by being late, and how much waiting that was.
struct Cause {
  std::uint32_t rank = 0;
  Nanoseconds severity = 0;
};

/// What one call path of one rank caused.
struct CauseCall {
  std::uint32_t rank = 0;
  std::vector<std::string> call_path;  ///< labels from the root; empty = unknown
  CallSite call_site;
  Nanoseconds severity = 0;
};

/// One wait state at one call path.
struct Finding {
  std::string id;  ///< "f1"
  std::string metric, name;
  Nanoseconds severity = 0;
  double percent_of_time = 0;  ///< of all ranks' time
  std::uint64_t instances = 0;
  std::vector<std::string> call_path;  ///< labels from the root
  CallSite call_site;
  std::vector<Nanoseconds> by_rank;
  std::uint32_t worst_rank = 0;        ///< who waited longest in total
  std::vector<Cause> causes;           ///< largest first; may be cut to 16
  std::vector<CauseCall> cause_calls;  ///< largest first; may be cut to 16
  Instance worst;
  analysis::WaitStatistics statistics;  ///< count 0 = not known (made by an older Mora)
  std::vector<Instance> most_severe;    ///< at most analysis::instances_listed; the first is `worst`
  std::string summary, diagnosis, advice;
};

/// The call of a rank that broke the rule, or that of its partner, at the first occurrence.
struct CheckedCall {
  std::uint32_t rank = 0;
  std::vector<std::string> call_path;  ///< labels from the root
  CallSite site;
  Nanoseconds begin = 0, end = 0;
};

/// A rule of MPI that was broken on a window: how often, and the first time.
struct Check {
  std::string rule, name;  ///< "double-lock", "Target locked twice"
  std::string window;
  std::uint64_t instances = 0;
  CheckedCall call;
  std::optional<std::uint32_t> partner_rank;
  std::optional<CheckedCall> partner;  ///< its call, if it did anything
  std::string what, advice, source;
};

/// All transfers of one kind from one origin to one target (ranks of MPI_COMM_WORLD).
struct Transfer {
  std::uint32_t origin = 0, target = 0;
  std::string kind;  ///< "put", "get", "atomic"
  std::uint64_t operations = 0, bytes = 0;
};

/// What the report says about the run itself.
struct RunSummary {
  std::string program, trace, trace_format;
  std::uint32_t ranks = 0, locations = 0, nodes = 0;
  std::uint64_t events = 0;
  Nanoseconds wall = 0;
  std::map<std::string, std::string> more;  ///< "command", "mpi", "date" … from the manifest
};

/// Findings are sorted, the most severe first; metrics have parents before children.
struct ReportData {
  std::string creator;
  RunSummary run;
  std::vector<MetricRow> metrics;
  std::vector<Finding> findings;  ///< most severe first
  std::vector<Check> checks;      ///< rules of one-sided communication that were broken, by first time
  std::vector<Transfer> transfers;
  std::vector<QualityRow> quality;

  const MetricRow* find_metric(const std::string& id) const;
  Nanoseconds total_time() const;  ///< all ranks' time, ns; 0 = not known
  Nanoseconds mpi_time() const;
  /// All wait states, each nanosecond once (metrics that have findings and no ancestor that has), total and by rank.
  std::vector<std::string> top_wait_metrics() const;
  Nanoseconds waiting() const;
  std::vector<Nanoseconds> waiting_by_rank() const;
};

/// cube::label of each call path from the root: "MPI_Recv@ring.c:42".
std::vector<std::string> labels_of(const cube::Cube& cube, cube::CallPathId call_path);
/// "ring > main > MPI_Recv@ring.c:42".
std::string joined(const std::vector<std::string>& labels);
/// Waits of this metric end when somebody leaves a call (gives a lock back), not when somebody enters one.
bool ends_with_release(const std::string& metric);
/// Sums of locations' values per rank; length = ranks.
std::vector<std::int64_t> fold_threads(const cube::Cube& cube, const std::vector<std::int64_t>& by_location,
                                       std::uint32_t ranks);

}  // namespace mora::report
