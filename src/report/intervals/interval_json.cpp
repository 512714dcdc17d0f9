/// Intervals as JSON (docs/formats/intervals.md): exact seconds, every characteristic of every process asked for.
#include "base/json/json_document.h"
#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Interval;
using analysis::KindRow;

/// `process`: index in the interval's processes; SIZE_MAX = the interval's sums.
auto kinds(JsonWriter& json, const Interval& interval, bool collective, std::size_t process) {
  return [&json, &interval, collective, process] {
    json.begin_array();
    for (const KindRow& kind : interval.kinds) {
      if (kind.is_collective != collective) continue;
      const analysis::KindAmounts amounts = process == SIZE_MAX ? kind.sum : kind.of_process(process);
      if (process != SIZE_MAX && amounts.count == 0 && amounts.communication == 0) continue;
      json.begin_line_object().fields("name", kind.name);
      for (const auto& [key, member] : kind_keys) json.fields(key, kind_cell(amounts, member));
      json.end_object();
    }
    json.end_array();
  };
}

using Infos = std::vector<CharacteristicInfo>;

void write_characteristics(JsonWriter& json, const Infos& infos, const analysis::Amounts& amounts, double efficiency,
                           std::size_t processors) {
  for (const CharacteristicInfo& info : infos)
    json.fields(info.key, characteristic_cell(info.id, amounts, efficiency, processors));
}

void write_comparative(JsonWriter& json, const Infos& infos, const Interval& interval) {
  json.begin_object();
  for (const CharacteristicInfo& info : infos) {
    if (info.id == Characteristic::efficiency || info.id == Characteristic::processors) continue;
    const analysis::Comparison all = interval.compare(info.id);
    json.key(info.key).line("min", amount_cell(info.id, all.minimum), "min_rank", all.minimum_rank, "max",
                            amount_cell(info.id, all.maximum), "max_rank", all.maximum_rank, "mean",
                            amount_cell(info.id, all.mean));
  }
  json.end_object();
}

void write_process(JsonWriter& json, const Infos& infos, const Interval& interval, std::size_t p) {
  const analysis::ProcessAmounts process = interval.processes[p];
  json.begin_object().fields("rank", process.rank, "count", process.executions);
  write_characteristics(json, infos, process.amounts(), efficiency_of(process), interval.processes.size());
  json.fields("by_collective", kinds(json, interval, true, p), "by_other_function", kinds(json, interval, false, p));
  json.end_object();
}

void write_interval(JsonWriter& json, const analysis::IntervalTable& table, std::size_t index,
                    const IntervalReportOptions& options) {
  const Interval& interval = table.intervals[index];
  const bool is_sequential = interval.replication == cube::all_processes;
  std::vector<std::string> left_out;
  for (const Exclusion& exclusion : options.left_out) left_out.push_back(exclusion.text());
  json.begin_object();
  json.fields("file", interval.file, "line", interval.line, "id", interval.id, "level", interval.level, "count",
              interval.executions, "processes", interval.processes.size(), "number", table.number(index), "name",
              interval.name, "replication", is_sequential ? Cell("all") : Cell(interval.replication));
  json.key("characteristics").begin_object();
  const Infos infos = analysis::characteristics_of(table);
  write_characteristics(json, infos, interval.sum, interval.efficiency(), interval.processes.size());
  json.end_object().fields(
      "comparative", [&] { write_comparative(json, infos, interval); }, "by_collective",
      kinds(json, interval, true, SIZE_MAX), "by_other_function", kinds(json, interval, false, SIZE_MAX));
  json.key("by_rank").begin_array();
  for (std::size_t p = 0; p < interval.processes.size(); ++p) {
    if (!options.ranks || options.ranks->holds(interval.processes[p].rank)) write_process(json, infos, interval, p);
  }
  json.end_array().fields("notes", list(interval.notes), "rules", analysis::names(table.rules), "without_ids",
                          left_out);
  json.end_object();
}

}  // namespace

std::string intervals_json(const analysis::IntervalTable& table, const IntervalReportOptions& options,
                           const std::vector<QualityRow>& quality) {
  JsonDocument json("mora-intervals");
  json.fields("intervals", list(shown_intervals(table, options),
                                [&](std::size_t index) { write_interval(json, table, index, options); }));
  return json.finish(quality);
}

}  // namespace mora::report
