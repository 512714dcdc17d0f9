/// Intervals as JSON (docs/formats/intervals.md): exact seconds, every characteristic of every process asked for.
#include "base/json_writer.h"
#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Amounts;
using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Comparison;
using analysis::Interval;
using analysis::KindAmounts;
using analysis::KindRow;
using analysis::ProcessAmounts;

double share_of(Nanoseconds productive, Nanoseconds whole) {
  return whole <= 0 ? 1.0 : static_cast<double>(productive) / static_cast<double>(whole);
}

void kind_json(JsonWriter& json, const std::string& name, const KindAmounts& amounts) {
  json.begin_line_object().key("name").string(name).key("count").integer(amounts.count);
  json.key("communication").seconds(amounts.communication);
  json.key("real_synchronization").seconds(amounts.real_synchronization);
  json.key("potential_synchronization").seconds(amounts.potential_synchronization);
  json.key("time_variation").seconds(amounts.time_variation);
  json.key("overlap").seconds(amounts.overlap).end_object();
}

/// `process`: index in the interval's processes; SIZE_MAX = the interval's sums.
void kinds_json(JsonWriter& json, const Interval& interval, bool collective, std::size_t process) {
  json.begin_array();
  for (const KindRow& kind : interval.kinds) {
    if (kind.is_collective != collective) continue;
    const KindAmounts& amounts = process == SIZE_MAX ? kind.sum : kind.by_process[process];
    if (process != SIZE_MAX && amounts.count == 0 && amounts.communication == 0) continue;
    kind_json(json, kind.name, amounts);
  }
  json.end_array();
}

void characteristics_json(JsonWriter& json, const Amounts& amounts, double efficiency, std::size_t processors) {
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    json.key(info.key);
    if (info.id == Characteristic::efficiency) {
      json.number(efficiency);
    } else if (info.id == Characteristic::processors) {
      json.unsigned_integer(processors);
    } else {
      json.seconds(amounts[static_cast<std::size_t>(info.id)]);
    }
  }
}

void comparative_json(JsonWriter& json, const Interval& interval) {
  json.begin_object();
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    if (info.id == Characteristic::efficiency || info.id == Characteristic::processors) continue;
    const Comparison all = interval.compare(info.id);
    json.key(info.key).begin_line_object().key("min").seconds(all.minimum);
    json.key("min_rank").unsigned_integer(all.minimum_rank).key("max").seconds(all.maximum);
    json.key("max_rank").unsigned_integer(all.maximum_rank).key("mean").seconds(all.mean).end_object();
  }
  json.end_object();
}

void process_json(JsonWriter& json, const Interval& interval, std::size_t p) {
  const ProcessAmounts& process = interval.processes[p];
  json.begin_object().key("rank").unsigned_integer(process.rank).key("count").integer(process.executions);
  characteristics_json(json, process.amounts,
                       share_of(productive_of(process), productive_of(process) + lost_of(process)),
                       interval.processes.size());
  json.key("by_collective");
  kinds_json(json, interval, true, p);
  json.key("by_other_function");
  kinds_json(json, interval, false, p);
  json.end_object();
}

void interval_json(JsonWriter& json, const analysis::IntervalTable& table, std::size_t index,
                   const IntervalReportOptions& options) {
  const Interval& interval = table.intervals[index];
  json.begin_object().key("file").string(interval.file).key("line").unsigned_integer(interval.line);
  json.key("id").unsigned_integer(interval.id).key("level").unsigned_integer(interval.level);
  json.key("count").integer(interval.executions).key("processes").unsigned_integer(interval.processes.size());
  json.key("number").string(table.number(index)).key("name").string(interval.name).key("replication");
  if (interval.replication == cube::all_processes) {
    json.string("all");
  } else {
    json.unsigned_integer(interval.replication);
  }
  json.key("characteristics").begin_object();
  characteristics_json(json, interval.sum, interval.efficiency(), interval.processes.size());
  json.end_object().key("comparative");
  comparative_json(json, interval);
  json.key("by_collective");
  kinds_json(json, interval, true, SIZE_MAX);
  json.key("by_other_function");
  kinds_json(json, interval, false, SIZE_MAX);
  json.key("by_rank").begin_array();
  for (std::size_t p = 0; p < interval.processes.size(); ++p) {
    if (!options.ranks || options.ranks->holds(interval.processes[p].rank)) process_json(json, interval, p);
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : interval.notes) json.string(note);
  json.end_array().key("rules").begin_object();
  for (const auto& [rule, meaning] : analysis::names(table.rules)) json.key(rule).string(meaning);
  json.end_object().key("without_ids").begin_line_array();
  for (const Exclusion& exclusion : options.left_out) json.string(exclusion.text());
  json.end_array().end_object();
}

}  // namespace

std::string intervals_json(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  JsonWriter json;
  json.begin_array();
  for (const std::size_t index : shown_intervals(table, options)) interval_json(json, table, index, options);
  json.end_array();
  return json.str() + "\n";
}

}  // namespace mora::report
