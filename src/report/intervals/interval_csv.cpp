#include <fmt/format.h>

#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Interval;
using analysis::ProcessAmounts;

/// RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string intervals_csv(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  std::string out = "interval,file,line,id,level,name,rank,characteristic,value\n";
  for (const std::size_t index : shown_intervals(table, options)) {
    const Interval& interval = table.intervals[index];
    const std::string head = fmt::format("{},{},{},{},{},{},", table.number(index), quoted(interval.file),
                                         interval.line, interval.id, interval.level, quoted(interval.name));
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
    for (const ProcessAmounts& process : interval.processes) {
      if (options.ranks && !options.ranks->holds(process.rank)) continue;
      const Nanoseconds whole = productive_of(process) + lost_of(process);
      rows(std::to_string(process.rank), process.amounts,
           whole <= 0 ? 1.0 : static_cast<double>(productive_of(process)) / static_cast<double>(whole),
           process.executions);
    }
  }
  return out;
}

}  // namespace mora::report
