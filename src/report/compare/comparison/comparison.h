/// What changed between configurations (each of one or more runs): the first is the reference, differences are later
/// minus first.
///
/// This class answers questions; compare_report.h shows the answers. Sums add up exactly with one run each: an
/// interval's metric is that of its nested intervals and its own rest, in every run and therefore in every difference;
/// what only one run has counts as zero in the others. Memory: metrics with values x (call paths + intervals) of each
/// run. Const functions are safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/compare/comparison/figures.h"
#include "report/compare/comparison/tree_match.h"
#include "report/compare/runs/run.h"
#include "report/compare/runs/spread.h"

namespace mora::compare {

/// One figure at one place: its values by configuration, and the change against the first.
struct FigureRow {
  const Figure* figure = nullptr;
  std::vector<Spread> values;  ///< by configuration

  bool is_known() const;  ///< some run has the place and knows the figure
  bool is_zero() const;   ///< everywhere zero
  /// Of configuration `later` against the first.
  std::optional<Change> change(std::size_t later) const { return change_between(values.front(), values[later]); }
  std::optional<Change> change() const { return change(values.size() - 1); }
};

/// A characteristic per process, over all processes of all runs of a configuration.
struct PerProcess {
  std::uint64_t processes = 0;
  std::int64_t mean = 0, least = 0, most = 0;  ///< ns; the mean truncated
};

/// See the head of this file.
class Comparison {
 public:
  /// `configurations` name every run at least once; there is at least one.
  Comparison(std::vector<Run> runs, std::vector<Configuration> configurations);

  const std::vector<Run>& runs() const { return runs_; }
  const std::vector<Configuration>& configurations() const { return configurations_; }
  const Catalogue& catalogue() const { return catalogue_; }
  const UnitedTree& intervals() const { return intervals_; }
  const UnitedTree& call_paths() const { return call_paths_; }
  /// The definition of serialisation and transfer that all runs know.
  std::optional<analysis::IdealTime> serialisation() const { return serialisation_; }

  /// Some configuration has several runs: the spread is known.
  bool has_spread() const;
  /// All runs have the same number of processes.
  bool has_equal_processes() const;

  FigureRow interval_figure(std::size_t interval, const Figure& figure) const;
  /// All that some run knows and that is not zero everywhere.
  std::vector<FigureRow> interval_figures(std::size_t interval) const;
  /// A metric of the interval without its nested intervals.
  FigureRow rest_of(std::size_t interval, const Figure& metric) const;
  /// A metric of the call path alone.
  FigureRow call_path_figure(std::size_t call_path, const Figure& metric) const;

  /// Of an additive characteristic, by configuration; no processes where the interval is missing.
  std::vector<PerProcess> per_process(std::size_t interval, const Figure& characteristic) const;
  /// The same as a figure: the mean of a process (truncated) in each run.
  FigureRow mean_of_a_process(std::size_t interval, const Figure& characteristic) const;
  /// By configuration and process; only where rank by rank has a meaning: single runs whose processes are the same
  /// ranks.
  std::vector<std::vector<std::int64_t>> by_rank(std::size_t interval, const Figure& characteristic) const;

  /// By number, place or name (IntervalTable::find), as the last configuration's runs call it, else the ones before;
  /// `none` if no run has it, and `why`.
  std::size_t find_interval(const std::string& text, std::string* why = nullptr) const;
  /// A configuration of which some run has the node.
  bool has(const UnitedNode& node, std::size_t configuration) const;
  /// The labels of the configurations that have it.
  std::vector<std::string> owners(const UnitedNode& node) const;
  /// "0.1 solve.c:20#3"; "~ 0.1 solve.c:20#3 (now solve.c:25#3)" for what was not matched exactly.
  std::string interval_label(std::size_t interval) const;
  /// "main > solve > MPI_Send@a.c:3"; "~ … (now relax > MPI_Send@a.c:3)" where it or something above it was not matched
  /// exactly.
  std::string call_path_label(std::size_t call_path, bool with_other_path = true) const;
  /// The least certain of the runs that have it.
  static Match worst_match(const UnitedNode& node);

 private:
  std::vector<Run> runs_;
  std::vector<Configuration> configurations_;
  std::vector<RunSums> sums_;
  Catalogue catalogue_;
  UnitedTree intervals_, call_paths_;
  std::optional<analysis::IdealTime> serialisation_;
};

/// "solve.c:20#3", "solve" or "solve solve.c:20": an interval's name, place and id.
std::string interval_text(const analysis::Interval& interval);

}  // namespace mora::compare
