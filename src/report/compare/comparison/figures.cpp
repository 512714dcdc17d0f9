/// The catalogue is made from the tables of characteristics, POP metrics and the metrics of all cubes. A name that is
/// not known is compared with all known ones by edit distance, O(length^2) each.
#include "report/compare/comparison/figures.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "analysis/metric_info.h"
#include "base/names.h"
#include "base/text/did_you_mean.h"

namespace mora::compare {
namespace {

using analysis::Characteristic;
using analysis::PopMetrics;
using analysis::Serialisation;

FigureUnit unit_of(cube::Unit unit) {
  switch (unit) {
    case cube::Unit::seconds:
      return FigureUnit::seconds;
    case cube::Unit::occurrences:
      return FigureUnit::occurrences;
    case cube::Unit::bytes:
      return FigureUnit::bytes;
  }
  return FigureUnit::seconds;
}

/// One number of the POP tree; `serialisation` is null where none is known.
struct PopFigure {
  std::string_view key, name;
  FigureUnit unit;
  std::optional<Value> (*get)(const PopMetrics& pop, const Serialisation* serialisation);
};

std::optional<Value> ratio(double value) { return Value{0, value}; }

template <double PopMetrics::*member>
std::optional<Value> of_pop(const PopMetrics& pop, const Serialisation*) {
  return ratio(pop.*member);
}
template <double Serialisation::*member>
std::optional<Value> of_serialisation(const PopMetrics&, const Serialisation* s) {
  return s ? ratio(s->*member) : std::nullopt;
}

constexpr std::array pop_figures = {
    PopFigure{"parallel_efficiency", "Parallel Efficiency", FigureUnit::ratio,
              of_pop<&PopMetrics::parallel_efficiency>},
    PopFigure{"load_balance", "Load Balance", FigureUnit::ratio, of_pop<&PopMetrics::load_balance>},
    PopFigure{"communication_efficiency", "Communication Efficiency", FigureUnit::ratio,
              of_pop<&PopMetrics::communication_efficiency>},
    PopFigure{"serialisation", "Serialisation", FigureUnit::ratio, of_serialisation<&Serialisation::serialisation>},
    PopFigure{"transfer", "Transfer", FigureUnit::ratio, of_serialisation<&Serialisation::transfer>},
    PopFigure{"additive_load_balance", "Load Balance, additive", FigureUnit::ratio,
              of_pop<&PopMetrics::additive_load_balance>},
    PopFigure{"additive_communication_efficiency", "Communication Efficiency, additive", FigureUnit::ratio,
              of_pop<&PopMetrics::additive_communication_efficiency>},
    PopFigure{"additive_serialisation", "Serialisation, additive", FigureUnit::ratio,
              of_serialisation<&Serialisation::additive_serialisation>},
    PopFigure{"additive_transfer", "Transfer, additive", FigureUnit::ratio,
              of_serialisation<&Serialisation::additive_transfer>},
    PopFigure{"thread_efficiency", "Thread Efficiency", FigureUnit::ratio,
              [](const PopMetrics& pop, const Serialisation*) {
                return pop.hybrid ? ratio(pop.hybrid->thread_efficiency) : std::nullopt;
              }},
    PopFigure{"useful_time", "Useful Computation", FigureUnit::seconds,
              [](const PopMetrics& pop, const Serialisation*) {
                return std::optional(Value{pop.useful_sum, 0});
              }},
    PopFigure{"ipc", "Instructions per Cycle", FigureUnit::ratio,
              [](const PopMetrics& pop, const Serialisation*) {
                if (pop.instructions == 0 || pop.cycles == 0) return std::optional<Value>();
                return ratio(static_cast<double>(pop.instructions) / static_cast<double>(pop.cycles));
              }},
    PopFigure{"frequency", "Cycles per Nanosecond of Computation", FigureUnit::ratio,
              [](const PopMetrics& pop, const Serialisation*) {
                if (pop.cycles == 0 || pop.useful_sum == 0) return std::optional<Value>();
                return ratio(static_cast<double>(pop.cycles) / static_cast<double>(pop.useful_sum));
              }},
};

}  // namespace

const char* to_string(FigureKind kind) {
  static constexpr const char* names[] = {"characteristic", "pop", "metric"};
  return name_in(names, kind);
}

Catalogue::Catalogue(const std::vector<Run>& runs) {
  for (const auto& info : analysis::characteristic_infos()) {
    const FigureUnit unit = info.id == Characteristic::efficiency                    ? FigureUnit::ratio
                            : info.id == Characteristic::processors || info.is_count ? FigureUnit::occurrences
                                                                                     : FigureUnit::seconds;
    figures_.push_back({std::string(info.key), std::string(info.name), FigureKind::characteristic, unit,
                        static_cast<std::size_t>(info.id), info.is_additive, false});
  }
  for (std::size_t i = 0; i < pop_figures.size(); ++i) {
    const PopFigure& pop = pop_figures[i];
    figures_.push_back(
        {std::string(pop.key), std::string(pop.name), FigureKind::pop, pop.unit, i, pop.key == "useful_time", false});
  }
  std::set<std::string> seen;
  std::size_t index = 0;
  const auto add = [&](const std::string& id, const std::string& name, cube::Unit unit) {
    if (!seen.insert(id).second) return;
    const analysis::MetricInfo* info = analysis::find_metric_info(id);
    figures_.push_back({id, name, FigureKind::metric, unit_of(unit), index++, true, info && info->wait_state});
  };
  for (const Run& run : runs) {
    for (const cube::Metric& metric : run.cube.metrics) add(metric.id, metric.name, metric.unit);
  }
  for (const analysis::MetricInfo& info : analysis::all_metrics())
    add(std::string(info.id), std::string(info.name), info.unit);
}

const Figure* Catalogue::find(const std::string& name) const {
  std::string key = name, kind;
  for (const char* prefix : {"characteristic:", "pop:", "metric:"}) {
    if (!name.starts_with(prefix)) continue;
    kind = std::string(prefix, std::string_view(prefix).size() - 1);
    key = name.substr(kind.size() + 1);
  }
  for (const Figure& figure : figures_) {
    if (figure.key == key && (kind.empty() || kind == to_string(figure.kind))) return &figure;
  }
  return nullptr;
}

std::string Catalogue::nearest(const std::string& name) const {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const Figure& figure : figures_) {
    const std::size_t distance = edit_distance(name, figure.key);
    if (distance < least) least = distance, best = figure.key;
  }
  return best;
}

std::optional<Value> pop_value(const Figure& figure, const PopMetrics& pop,
                               std::optional<analysis::IdealTime> serialisation) {
  const Serialisation* known = nullptr;
  if (serialisation && pop.of(*serialisation).ideal_time) known = &pop.of(*serialisation);
  return pop_figures[figure.index].get(pop, known);
}

Value characteristic_value(const Figure& figure, const analysis::Interval& interval) {
  const auto characteristic = static_cast<Characteristic>(figure.index);
  if (characteristic == Characteristic::efficiency) return {0, interval.efficiency()};
  if (characteristic == Characteristic::processors) return {static_cast<std::int64_t>(interval.processes.size()), 0};
  return {interval.value(characteristic), 0};
}

}  // namespace mora::compare
