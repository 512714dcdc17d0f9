/// Intervals as CSV (docs/formats/intervals.md): one row per interval, process and characteristic.
#include <fmt/format.h>

#include "base/cell_text.h"
#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Interval;
using analysis::ProcessAmounts;

/// Of the whole report: no interval, no rank.
std::string general_row(const std::string& what, const std::string& text) {
  return fmt::format(",,,,,,,{},{}\n", csv_cell(what), csv_cell(text));
}

std::string kind_rows(const std::string& head, const std::string& rank, const std::string& function,
                      const analysis::KindAmounts& amounts) {
  const std::pair<const char*, std::string> values[] = {
      {"count", std::to_string(amounts.count)},
      {"communication", seconds_exact(amounts.communication)},
      {"real_synchronization", seconds_exact(amounts.real_synchronization)},
      {"potential_synchronization", seconds_exact(amounts.potential_synchronization)},
      {"time_variation", seconds_exact(amounts.time_variation)},
      {"overlap", seconds_exact(amounts.overlap)}};
  std::string out;
  for (const auto& [key, value] : values)
    out += fmt::format("{}{},{},{}\n", head, rank, csv_cell(function + '/' + key), value);
  return out;
}

/// Tmin, Tmax and Tmid.
std::string comparison_rows(const std::string& head, const Interval& interval) {
  std::string out;
  for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
    if (info.id == Characteristic::efficiency || info.id == Characteristic::processors) continue;
    const analysis::Comparison all = interval.compare(info.id);
    const std::pair<const char*, std::string> values[] = {{"min", seconds_exact(all.minimum)},
                                                          {"min_rank", std::to_string(all.minimum_rank)},
                                                          {"max", seconds_exact(all.maximum)},
                                                          {"max_rank", std::to_string(all.maximum_rank)},
                                                          {"mean", seconds_exact(all.mean)}};
    for (const auto& [key, value] : values) out += fmt::format("{},{}/{},{}\n", head, info.key, key, value);
  }
  return out;
}

}  // namespace

std::string intervals_csv(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  std::string out = "interval,file,line,id,level,name,rank,characteristic,value\n";
  for (const auto& [rule, meaning] : analysis::names(table.rules))
    out += general_row("rule/" + rule, meaning.substr(0, meaning.find(':')));
  for (const Exclusion& exclusion : options.left_out) out += general_row("without_id", exclusion.text());
  for (const std::size_t index : shown_intervals(table, options)) {
    const Interval& interval = table.intervals[index];
    const std::string head = fmt::format("{},{},{},{},{},{},", table.number(index), csv_cell(interval.file),
                                         interval.line, interval.id, interval.level, csv_cell(interval.name));
    const auto rows = [&](const std::string& rank, const analysis::Amounts& amounts, double efficiency,
                          std::int64_t executions) {
      for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
        const std::string value = info.id == Characteristic::efficiency ? fmt::format("{}", efficiency)
                                  : info.id == Characteristic::processors
                                      ? std::to_string(interval.processes.size())
                                      : seconds_exact(amounts[static_cast<std::size_t>(info.id)]);
        out += fmt::format("{}{},{},{}\n", head, rank, info.key, value);
      }
      out += fmt::format("{}{},count,{}\n", head, rank, executions);
    };
    rows("", interval.sum, interval.efficiency(), interval.executions);
    out += comparison_rows(head, interval);
    for (const analysis::KindRow& kind : interval.kinds) out += kind_rows(head, "", kind.name, kind.sum);
    for (const std::string& note : interval.notes) out += fmt::format("{},note,{}\n", head, csv_cell(note));
    for (std::size_t p = 0; p < interval.processes.size(); ++p) {
      const ProcessAmounts& process = interval.processes[p];
      if (options.ranks && !options.ranks->holds(process.rank)) continue;
      const Nanoseconds whole = productive_of(process) + lost_of(process);
      rows(std::to_string(process.rank), process.amounts,
           whole <= 0 ? 1.0 : static_cast<double>(productive_of(process)) / static_cast<double>(whole),
           process.executions);
      for (const analysis::KindRow& kind : interval.kinds) {
        const analysis::KindAmounts& amounts = kind.by_process[p];
        if (amounts.count != 0 || amounts.communication != 0)
          out += kind_rows(head, std::to_string(process.rank), kind.name, amounts);
      }
    }
  }
  return out;
}

}  // namespace mora::report
