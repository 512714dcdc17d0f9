/// The sums of metrics by interval are made once per run, in one pass over the cells.
#include "report/compare/runs/run.h"

#include <algorithm>
#include <set>

#include "report/compare/runs/spread.h"

namespace mora::compare {
namespace {

std::int64_t at(const std::vector<std::int64_t>& row, std::size_t i) { return i < row.size() ? row[i] : 0; }

/// Such cells come from differences (`mora cube diff`), never from runs.
bool has_negative_time(const cube::Cube& cube) {
  const cube::MetricId time = cube.find_metric("time");
  if (time == cube::no_id) return false;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const auto& row = cube.row(time, c);
    if (std::any_of(row.begin(), row.end(), [](std::int64_t cell) { return cell < 0; })) return true;
  }
  return false;
}

}  // namespace

Run make_run(std::string name, std::string date, cube::Cube cube, const analysis::EfficiencyRules& rules) {
  Run run;
  run.name = std::move(name);
  run.date = std::move(date);
  std::set<std::uint32_t> ranks;
  for (const cube::Location& location : cube.locations) ranks.insert(location.rank);
  run.processes = static_cast<std::uint32_t>(ranks.size());
  run.table = analysis::interval_table(cube, rules);
  run.cube = std::move(cube);
  if (has_negative_time(run.cube))
    run.notes.emplace_back(
        "warning: it contains negative times, so it is a difference of results; efficiencies have no meaning");
  // IntervalTable::number() counts siblings each time.
  std::vector<std::size_t> children(run.table.intervals.size());
  for (const analysis::Interval& interval : run.table.intervals) {
    const bool is_root = interval.parent == SIZE_MAX;
    run.numbers.push_back(is_root ? "0"
                                  : run.numbers[interval.parent] + "." + std::to_string(++children[interval.parent]));
  }
  return run;
}

std::int64_t own_of_call_path(const cube::Cube& cube, cube::MetricId metric, std::size_t call_path) {
  if (metric >= cube.metrics.size()) return 0;
  std::int64_t sum = 0;
  for (const std::int64_t cell : cube.row(metric, static_cast<cube::CallPathId>(call_path))) sum = held_sum(sum, cell);
  return sum;
}

RunSums::RunSums(const Run& run) {
  const cube::Cube& cube = run.cube;
  const auto& intervals = run.table.intervals;
  std::vector<std::size_t> interval_of(cube.call_paths.size(), SIZE_MAX);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    for (const cube::CallPathId root : intervals[i].roots) interval_of[root] = i;
  }
  for (std::size_t c = 0; c < interval_of.size(); ++c) {
    const cube::CallPathId parent = cube.call_paths[c].parent;
    if (interval_of[c] == SIZE_MAX) interval_of[c] = parent == cube::no_id ? 0 : interval_of[parent];
  }
  by_interval_.resize(cube.metrics.size());
  own_.resize(cube.metrics.size());
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    metrics_.try_emplace(cube.metrics[m].id, m);
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const std::int64_t sum = own_of_call_path(cube, m, c);
      if (sum == 0) continue;
      own_[m].resize(intervals.size());
      own_[m][interval_of[c]] = held_sum(own_[m][interval_of[c]], sum);
    }
    by_interval_[m] = own_[m];
    for (std::size_t i = by_interval_[m].size(); i-- > 1;) {
      std::int64_t& above = by_interval_[m][intervals[i].parent];
      above = held_sum(above, by_interval_[m][i]);
    }
  }
}

std::int64_t RunSums::of_interval(cube::MetricId metric, std::size_t interval) const {
  return metric < by_interval_.size() ? at(by_interval_[metric], interval) : 0;
}
std::int64_t RunSums::own_of_interval(cube::MetricId metric, std::size_t interval) const {
  return metric < own_.size() ? at(own_[metric], interval) : 0;
}
cube::MetricId RunSums::metric(const std::string& id) const {
  const auto found = metrics_.find(id);
  return found == metrics_.end() ? cube::no_id : found->second;
}

}  // namespace mora::compare
