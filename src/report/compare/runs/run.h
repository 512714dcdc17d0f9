/// One analysed run, and a configuration: several runs of the same program with the same settings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "cube/cube.h"
#include "report/intervals/exclusion.h"

namespace mora::compare {

/// One analysed run: the cube and what was computed from it once.
struct Run {
  std::string name;  ///< as the user gave it
  std::string date;  ///< "2026-11-21 14:06:02 UTC"; empty = not known
  std::uint32_t processes = 0;
  std::vector<std::string> notes;  ///< what its numbers suffer from: losses, repaired clocks
  cube::Cube cube;
  std::vector<report::Exclusion> left_out;  ///< is not in `cube` (report::without_intervals), to be stated
  analysis::IntervalTable table;            ///< of `cube`
  std::vector<std::string> numbers;         ///< of its intervals: "0.2.1"
};

/// From a result; `name` and `date` are the caller's.
Run make_run(std::string name, std::string date, cube::Cube cube, const analysis::EfficiencyRules& rules = {});

/// Runs of the same program with the same settings; values are means over them.
struct Configuration {
  std::string label;              ///< "A", "before"
  std::vector<std::size_t> runs;  ///< indices; never empty
  bool is_named = false;          ///< by the user
};

/// Adds notes to runs that cannot be compared well: a run of another program than the first one, or runs with different
/// numbers of processes in one configuration.
void add_notes(std::vector<Run>& runs, const std::vector<Configuration>& configurations);

/// The call path's own, all locations.
std::int64_t own_of_call_path(const cube::Cube& cube, cube::MetricId metric, std::size_t call_path);

/// Sums of a run's metrics by interval, made once. Metrics without values take no memory.
class RunSums {
 public:
  explicit RunSums(const Run& run);
  /// The interval with all below it, or without nested intervals.
  std::int64_t of_interval(cube::MetricId metric, std::size_t interval) const;
  std::int64_t own_of_interval(cube::MetricId metric, std::size_t interval) const;
  /// Of this name in the run's cube; cube::no_id if there is none.
  cube::MetricId metric(const std::string& id) const;

 private:
  std::map<std::string, cube::MetricId> metrics_;
  std::vector<std::vector<std::int64_t>> by_interval_, own_;  ///< [metric], empty = all zero
};

}  // namespace mora::compare
