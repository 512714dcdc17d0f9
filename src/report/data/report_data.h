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
#include "cube/labels.h"

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
  std::vector<std::int64_t> by_rank;  ///< inclusive, threads folded; index = rank
  /// Why a value of 0 is none: the metric needs events that are missing. Empty: the values stand.
  std::string reason;
  std::vector<std::uint32_t> unknown_ranks;  ///< whose value is not known; sorted
  analysis::WaitStatistics statistics;       ///< of a wait state's single waits; count 0 = none
  std::vector<Instance> most_severe;         ///< at most analysis::instances_listed
};

/// A rank that ended waits by being late, and how much waiting that was.
struct Cause {
  std::uint32_t rank = 0;
  Nanoseconds severity = 0;
};

/// A function in which ranks take longer than the others do, in the code of a delay: from samples.
struct FunctionDifference {
  std::string name;
  std::string file;             ///< of its definition; empty = unknown
  std::uint32_t line = 0;       ///< 0 = unknown
  std::uint32_t last_line = 0;  ///< 0 = unknown
  std::string called_from;      ///< the function; empty = several, or unknown
  SourcePlace called_at;        ///< the line of that function; no file = several, or unknown
  Nanoseconds here = 0;         ///< of the ranks, on average
  Nanoseconds others = 0;       ///< median of the others
  Nanoseconds error = 0;        ///< of the difference: two standard deviations
};

/// What one call path of one rank caused.
struct CauseCall {
  std::uint32_t rank = 0;
  std::vector<std::string> call_path;  ///< labels from the root; empty = unknown
  CallSite call_site;
  Nanoseconds severity = 0;
  std::vector<FunctionDifference> functions = {};  ///< why this rank's takes longer; empty = not known
};

/// The share of a finding in one interval: call sites of a found loop may be executed outside of it, too.
struct FindingPart {
  std::vector<std::string> call_path;  ///< labels from the root
  Nanoseconds severity = 0;
  std::uint64_t instances = 0;
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
  std::vector<FindingPart> parts;  ///< largest first; empty: all of it is at call_path, which is that of the first
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

/// How the executions of a cause's code follow each other (analysis/trend.h).
struct LossTrend {
  std::string kind;              ///< "growing", "shrinking", "alternating", "outlier"
  Nanoseconds from = 0, to = 0;  ///< first and last execution; of an outlier: the others' mean, and it
  std::uint64_t number = 0;      ///< of the outlier, from 1; else 0
  std::uint64_t executions = 0;
};

/// Whether ranks had a core in some code, and what the kernel counted there (Mora's rule not-running).
struct CoreUse {
  Nanoseconds time = 0;          ///< of the ranks in the code
  Nanoseconds not_running = 0;   ///< of it
  Nanoseconds without_core = 0;  ///< of that: could have run
  Nanoseconds in_kernel = 0;     ///< of `time`
  std::int64_t page_faults = 0;  ///< at least, as all below
  std::int64_t voluntary_switches = 0, involuntary_switches = 0;
};

/// One cause of lost time (losses/losses.h).
struct LossCause {
  std::string kind;        ///< "delay", "delay-in-mpi", "transfer", "late-start" … (docs/formats/findings.md)
  Nanoseconds amount = 0;  ///< processor time that it costs
  std::vector<std::uint32_t> ranks;  ///< whose delay or time it is, largest first
  Nanoseconds share_of_first = 0;    ///< of `amount`: what the first of them has
  std::vector<std::string>
      call_path;  ///< where, labels from the root; of several instances in that with the largest part
  CallSite call_site;
  std::optional<std::uint64_t> instances;  ///< how many numbered instances of marked intervals it is in, if several
  Nanoseconds waiting = 0;                 ///< of `amount`: others' waiting for it
  Nanoseconds longer = 0;  ///< of a delay: the mean time of `ranks` there above that of the others; 0: it changes
  std::vector<std::string> with;          ///< labels of other code that was joined to it, largest first
  std::vector<std::uint32_t> call_ranks;  ///< of calls that move the same messages: whose `call_path` alone is
  std::vector<std::string> waits_at;      ///< of a delay: where most of the waiting is, labels from the root
  std::string symptom;                    ///< name of that wait state
  std::optional<std::uint32_t> thread;    ///< of threads' waits for each other: the one that most are for
  std::optional<std::uint32_t> target;    ///< of a lock: the rank whose window it is, if all transfers go there
  std::int64_t calls = 0, bytes = 0;      ///< of a call
  std::optional<LossTrend> trend;         ///< of a delay of one rank: if most of it is due to that
  std::optional<CoreUse> core;            ///< of a delay: of its ranks in its code, where the scheduler was asked
  Nanoseconds overlappable = 0;           ///< of a call that completes messages: computation since they were started
  std::vector<FunctionDifference> functions;  ///< of a delay of `ranks`: which take longer there; empty = not known

  /// `call_path` for people: of several instances without their numbers.
  std::vector<std::string> place() const;
};

/// All lost time of the focus, the time between start and end of MPI, and its causes.
struct Losses {
  Nanoseconds focus = 0;    ///< all ranks' time in the focus
  Nanoseconds outside = 0;  ///< and outside it
  Nanoseconds lost = 0;     ///< of the focus: all causes
  Nanoseconds smaller = 0;  ///< of that: causes below a hundredth of the focus, which are not listed
  /// Time in run queues beyond each thread's waiting: the least that it cost. Nothing: made by an older Mora.
  std::optional<Nanoseconds> without_core;
  std::vector<LossCause> causes;         ///< largest first
  std::vector<LossCause> start_and_end;  ///< outside the focus, largest first
};

/// Something wrong with the processors that the processes of a recorded job may use.
struct ProcessorFinding {
  std::string kind, name;            ///< "shared-processors", "different-binding"
  std::string summary;               ///< sentences
  Nanoseconds without_core = 0;      ///< of all ranks, inside MPI, too: metric run-queue-wait
  std::vector<Nanoseconds> by_rank;  ///< that; empty: it was not recorded
  std::string advice;
};

/// What the report says about the run itself.
struct RunSummary {
  std::string program, trace, trace_format;
  std::uint32_t ranks = 0, locations = 0, nodes = 0;
  std::uint64_t events = 0;
  Nanoseconds wall = 0;
  std::map<std::string, std::string> more;  ///< "command", "mpi", "date" … from the manifest
};

struct FindingGroup {  ///< a finding and those that are parts of it (Late Unlock of Lock Contention), in ReportData
  const Finding* whole = nullptr;
  std::vector<const Finding*> parts;
};

/// Findings are sorted, the most severe first; metrics have parents before children.
struct ReportData {
  std::string creator;
  RunSummary run;
  std::vector<MetricRow> metrics;
  Losses losses;                  ///< focus 0: not known (made by an older Mora)
  std::vector<Finding> findings;  ///< most severe first
  std::vector<Check> checks;      ///< rules of one-sided communication that were broken, by first time
  std::vector<Transfer> transfers;
  std::vector<QualityRow> quality;

  const MetricRow* find_metric(const std::string& id) const;  ///< nullptr: none has this id
  /// Findings that are no part of another one, each with its parts: those of metrics below its own at the same call
  /// path. Both in the order of `findings`.
  std::vector<FindingGroup> grouped_findings() const;
  Nanoseconds total_time() const;  ///< all ranks' time, ns; 0 = not known
  Nanoseconds mpi_time() const;
  Nanoseconds shmem_time() const;
  /// All waiting, each nanosecond once: wait states that have delay costs, of nested ones the topmost. Total, by rank.
  std::vector<std::string> top_wait_metrics() const;
  Nanoseconds waiting() const;
  /// Of a run of which only the sums of its calls are known: no wait state can be computed.
  bool is_profile() const;
  /// "Late Sender, Wait at Barrier and 3 more cannot be computed: events of rank 1 are missing"; empty: all can.
  std::string not_computable() const;
  std::vector<Nanoseconds> waiting_by_rank() const;
};

/// What stands in the place of findings where there are none.
std::string no_findings(const ReportData& data);
using cube::joined;
using cube::joined_below_program;
using cube::labels_of;
/// The functions that the last label stands in: "relax, called from step"; empty if none is known, or main alone.
std::string functions_around(const std::vector<std::string>& labels);
/// Sums of locations' values per rank; length = ranks.
std::vector<std::int64_t> fold_threads(const cube::Cube& cube, const std::vector<std::int64_t>& by_location,
                                       std::uint32_t ranks);

}  // namespace mora::report
