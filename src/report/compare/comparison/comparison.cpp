/// Looks up figures of all runs side by side: the nodes of the united trees (tree_match.h) give the places, figures.h
/// the values, spread.h the statistics over the runs of a configuration. Cost: making it costs one pass over the cells
/// of all runs; a query costs the number of runs.
#include "report/compare/comparison/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/source_place.h"
#include "cube/labels.h"

namespace mora::compare {

using analysis::Interval;

namespace {
constexpr std::size_t labels_at_most = 256;
}

bool FigureRow::is_known() const {
  return std::any_of(values.begin(), values.end(), [](const Spread& s) { return s.present > 0; });
}

bool FigureRow::is_zero() const {
  return std::all_of(values.begin(), values.end(),
                     [](const Spread& s) { return s.least == Value{} && s.most == Value{}; });
}

std::string interval_text(const Interval& interval) {
  std::string place;
  if (interval.parent == SIZE_MAX) return interval.name;
  if (!interval.file.empty()) {
    place = source_place(interval.file, interval.line);
  }
  if (interval.id != 0) place += fmt::format("#{}", interval.id);
  if (interval.name.empty() || (interval.name == "interval" && !place.empty())) return place;
  return place.empty() ? interval.name : interval.name + (place[0] == '#' ? "" : " ") + place;
}

Comparison::Comparison(std::vector<Run> runs, std::vector<Configuration> configurations)
    : runs_(std::move(runs)), configurations_(std::move(configurations)), catalogue_(runs_) {
  for (const Run& run : runs_) {
    sums_.emplace_back(run);
    intervals_.add(interval_tree(run.cube, run.table));
    call_paths_.add(call_tree(run.cube));
  }
  std::vector<analysis::PopMetrics> pops;
  for (const Run& run : runs_) {
    if (!run.table.intervals.empty()) pops.push_back(analysis::pop_metrics(run.cube, run.table, 0));
  }
  for (std::size_t i = 0; i < analysis::ideal_times && !pops.empty(); ++i) {
    const auto definition = static_cast<analysis::IdealTime>(i);
    const bool all_know = std::all_of(pops.begin(), pops.end(), [&](const analysis::PopMetrics& pop) {
      return i < pop.serialisations.size() && pop.of(definition).ideal_time.has_value();
    });
    if (!all_know) continue;
    serialisation_ = definition;
    break;
  }
}

bool Comparison::has_spread() const {
  return std::any_of(configurations_.begin(), configurations_.end(),
                     [](const Configuration& c) { return c.runs.size() > 1; });
}

bool Comparison::has_equal_processes() const {
  return std::all_of(runs_.begin(), runs_.end(), [&](const Run& r) { return r.processes == runs_[0].processes; });
}

namespace {

/// value(run) gives an optional Value; nullopt: the run does not have it.
template <class ValueOf>
FigureRow row_of(const Figure& figure, const std::vector<Configuration>& configurations, const ValueOf& value) {
  FigureRow row{&figure, {}};
  for (const Configuration& configuration : configurations) {
    Spread& spread = row.values.emplace_back();
    spread.unit = figure.unit;
    for (const std::size_t run : configuration.runs) {
      if (const std::optional<Value> known = value(run)) {
        spread.add(*known);
      } else {
        spread.add_absent();
      }
    }
  }
  return row;
}

}  // namespace

FigureRow Comparison::interval_figure(std::size_t interval, const Figure& figure) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  return row_of(figure, configurations_, [&](std::size_t r) -> std::optional<Value> {
    const std::size_t own = node.own[r];
    if (own == none) return std::nullopt;
    const Run& run = runs_[r];
    switch (figure.kind) {
      case FigureKind::characteristic:
        return characteristic_value(figure, run.table.intervals[own]);
      case FigureKind::pop:
        return pop_value(figure, analysis::pop_metrics(run.cube, run.table, own), serialisation_);
      case FigureKind::metric:
        return Value{sums_[r].of_interval(sums_[r].metric(figure.key), own), 0};
    }
    return std::nullopt;
  });
}

std::vector<FigureRow> Comparison::interval_figures(std::size_t interval) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  std::vector<std::optional<analysis::PopMetrics>> pops(runs_.size());
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (node.own[r] != none) pops[r] = analysis::pop_metrics(runs_[r].cube, runs_[r].table, node.own[r]);
  }
  std::vector<FigureRow> rows;
  for (const Figure& figure : catalogue_.all()) {
    FigureRow row = figure.kind != FigureKind::pop
                        ? interval_figure(interval, figure)
                        : row_of(figure, configurations_, [&](std::size_t r) {
                            return pops[r] ? pop_value(figure, *pops[r], serialisation_) : std::nullopt;
                          });
    if (row.is_known() && !row.is_zero()) rows.push_back(std::move(row));
  }
  return rows;
}

FigureRow Comparison::rest_of(std::size_t interval, const Figure& metric) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  return row_of(metric, configurations_, [&](std::size_t r) -> std::optional<Value> {
    if (node.own[r] == none) return std::nullopt;
    return Value{sums_[r].own_of_interval(sums_[r].metric(metric.key), node.own[r]), 0};
  });
}

FigureRow Comparison::call_path_figure(std::size_t call_path, const Figure& metric) const {
  const UnitedNode& node = call_paths_.nodes()[call_path];
  return row_of(metric, configurations_, [&](std::size_t r) -> std::optional<Value> {
    if (node.own[r] == none) return std::nullopt;
    return Value{own_of_call_path(runs_[r].cube, sums_[r].metric(metric.key), node.own[r]), 0};
  });
}

std::vector<PerProcess> Comparison::per_process(std::size_t interval, const Figure& characteristic) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  std::vector<PerProcess> all;
  for (const Configuration& configuration : configurations_) {
    PerProcess& per = all.emplace_back();
    __int128 sum = 0;
    for (const std::size_t r : configuration.runs) {
      if (node.own[r] == none) continue;
      for (const analysis::ProcessAmounts& process : runs_[r].table.intervals[node.own[r]].processes) {
        const std::int64_t amount = process.value(static_cast<analysis::Characteristic>(characteristic.index));
        per.least = per.processes == 0 ? amount : std::min(per.least, amount);
        per.most = per.processes == 0 ? amount : std::max(per.most, amount);
        sum += amount;
        ++per.processes;
      }
    }
    if (per.processes > 0) per.mean = static_cast<std::int64_t>(sum / per.processes);
  }
  return all;
}

FigureRow Comparison::mean_of_a_process(std::size_t interval, const Figure& characteristic) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  return row_of(characteristic, configurations_, [&](std::size_t r) -> std::optional<Value> {
    if (node.own[r] == none) return std::nullopt;
    const Interval& own = runs_[r].table.intervals[node.own[r]];
    const auto processes = static_cast<std::int64_t>(own.processes.size());
    return Value{processes == 0 ? 0 : characteristic_value(characteristic, own).amount / processes, 0};
  });
}

std::vector<std::vector<std::int64_t>> Comparison::by_rank(std::size_t interval, const Figure& characteristic) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  std::vector<std::vector<std::int64_t>> all;
  std::vector<std::uint32_t> ranks;
  for (const Configuration& configuration : configurations_) {
    if (configuration.runs.size() != 1 || node.own[configuration.runs[0]] == none) return {};
    const Run& run = runs_[configuration.runs[0]];
    std::vector<std::uint32_t> own;
    auto& amounts = all.emplace_back();
    for (const analysis::ProcessAmounts& process : run.table.intervals[node.own[configuration.runs[0]]].processes) {
      own.push_back(process.rank);
      amounts.push_back(process.value(static_cast<analysis::Characteristic>(characteristic.index)));
    }
    if (all.size() > 1 && own != ranks) return {};
    ranks = own;
  }
  return has_equal_processes() ? all : std::vector<std::vector<std::int64_t>>{};
}

bool Comparison::has(const UnitedNode& node, std::size_t configuration) const {
  const auto& runs = configurations_[configuration].runs;
  return std::any_of(runs.begin(), runs.end(), [&](std::size_t run) { return node.own[run] != none; });
}

std::vector<std::string> Comparison::owners(const UnitedNode& node) const {
  std::vector<std::string> labels;
  for (std::size_t c = 0; c < configurations_.size(); ++c) {
    if (has(node, c)) labels.push_back(configurations_[c].label);
  }
  return labels;
}

Match Comparison::worst_match(const UnitedNode& node) {
  Match worst = Match::exact;
  for (const Match match : node.match) {
    if (match != Match::missing) worst = std::max(worst, match);
  }
  return worst;
}

namespace {

/// The first run that has the node, and the last whose node was not matched exactly; none if all were.
std::pair<std::size_t, std::size_t> first_and_other(const UnitedNode& node) {
  std::size_t first = none, other = none;
  for (std::size_t r = 0; r < node.own.size(); ++r) {
    if (node.own[r] == none) continue;
    if (first == none) first = r;
    if (node.match[r] != Match::exact) other = r;
  }
  return {first, other};
}

}  // namespace

std::size_t Comparison::find_interval(const std::string& text, std::string* why) const {
  for (std::size_t c = configurations_.size(); c-- > 0;) {
    for (const std::size_t run : configurations_[c].runs) {
      std::string reason;
      const std::size_t own = runs_[run].table.find(text, &reason);
      if (why != nullptr && why->empty()) *why = reason;
      if (own == SIZE_MAX) continue;
      const auto& nodes = intervals_.nodes();
      const auto found =
          std::find_if(nodes.begin(), nodes.end(), [&](const UnitedNode& node) { return node.own[run] == own; });
      return static_cast<std::size_t>(found - nodes.begin());
    }
  }
  return none;
}

std::string Comparison::interval_label(std::size_t interval) const {
  const UnitedNode& node = intervals_.nodes()[interval];
  const auto [first, other] = first_and_other(node);
  const auto& table = runs_[first].table;
  std::string text = runs_[first].numbers[node.own[first]] + " " + interval_text(table.intervals[node.own[first]]);
  if (other != none)
    text = fmt::format("~ {} (now {})", text, interval_text(runs_[other].table.intervals[node.own[other]]));
  return text;
}

std::string Comparison::call_path_label(std::size_t call_path, bool with_other_path) const {
  const UnitedNode& node = call_paths_.nodes()[call_path];
  const std::size_t first = first_and_other(node).first;
  const auto own = static_cast<cube::CallPathId>(node.own[first]);
  std::string text = cube::path_text(runs_[first].cube, own);
  // The other run's path from the topmost node that differs.
  std::size_t other = none;
  std::vector<std::string> labels;
  for (std::size_t run = runs_.size(); run-- > 0 && other == none;) {
    if (node.own[run] == none) continue;
    std::vector<std::string> below;
    for (std::size_t i = call_path; i != none && below.size() < labels_at_most;
         i = call_paths_.nodes()[i].node.parent) {
      const UnitedNode& above = call_paths_.nodes()[i];
      const auto path = static_cast<cube::CallPathId>(above.own[run]);
      below.push_back(cube::label(runs_[run].cube.call_paths[path]));
      // An ancestor that an earlier run lacks cannot be: children are matched below matched parents.
      if (above.match[run] == Match::exact) continue;
      other = run;
      labels = below;
    }
  }
  if (other == none) return text;
  if (!with_other_path) return "~ " + text;
  std::reverse(labels.begin(), labels.end());
  return fmt::format("~ {} (now {})", text, cube::joined(labels));
}

}  // namespace mora::compare
