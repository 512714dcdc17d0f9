/// Which intervals and ranks a report shows, from the words of --level, --interval and --rank.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/numbers/read_number.h"
#include "report/intervals/interval_report.h"

namespace mora::report {

using analysis::Characteristic;
using analysis::Interval;
using analysis::IntervalTable;
using analysis::ProcessAmounts;

std::vector<std::size_t> shown_intervals(const IntervalTable& table, const IntervalReportOptions& options) {
  std::vector<std::size_t> shown;
  std::vector<bool> is_inside(table.intervals.size(), !options.interval);
  for (std::size_t i = 0; i < table.intervals.size(); ++i) {
    const Interval& interval = table.intervals[i];
    if (options.interval && (i == *options.interval || (interval.parent < i && is_inside[interval.parent]))) {
      is_inside[i] = true;
    }
    if (is_inside[i] && (!options.level || interval.level <= *options.level)) shown.push_back(i);
  }
  return shown;
}

Nanoseconds productive_of(const ProcessAmounts& process) { return process.value(Characteristic::productive_time); }

Nanoseconds lost_of(const ProcessAmounts& process) { return process.value(Characteristic::lost_time); }

double efficiency_of(const ProcessAmounts& process) {
  const Nanoseconds productive = productive_of(process), whole = productive + lost_of(process);
  return whole <= 0 ? 1.0 : static_cast<double>(productive) / static_cast<double>(whole);
}

Result<std::vector<Characteristic>> parse_characteristics(const std::string& text) {
  std::vector<Characteristic> found;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    const analysis::CharacteristicInfo* info = analysis::find_characteristic_by_any_name(name);
    if (info == nullptr)
      return fail(ErrorKind::usage, "there is no characteristic \"" + name + "\"", "--metric " + text, "",
                  "`mora compare --names EXP` lists them");
    found.push_back(info->id);
    at = end + 1;
  }
  return found;
}

Cell characteristic_cell(Characteristic characteristic, const analysis::Amounts& amounts, double efficiency,
                         std::size_t processors) {
  if (characteristic == Characteristic::efficiency) return efficiency;
  if (characteristic == Characteristic::processors) return processors;
  return amount_cell(characteristic, amounts[static_cast<std::size_t>(characteristic)]);
}

Cell amount_cell(Characteristic characteristic, std::int64_t amount) {
  return analysis::info_of(characteristic).is_count ? Cell(amount) : Cell(Seconds{amount});
}

Cell kind_cell(const analysis::KindAmounts& amounts, std::int64_t analysis::KindAmounts::*member) {
  return member == &analysis::KindAmounts::count ? Cell(amounts.*member) : Cell(Seconds{amounts.*member});
}

std::string interval_words(const IntervalTable& table, std::size_t index) {
  const Interval& interval = table.intervals[index];
  std::string text = table.number(index);
  if (!interval.name.empty()) text += " " + interval.name;
  std::string place = std::filesystem::path(interval.file).filename().string();
  if (interval.line != 0) place += fmt::format("{}{}", place.empty() ? "line " : ":", interval.line);
  if (interval.id != 0) place += fmt::format("{}id {}", place.empty() ? "" : ", ", interval.id);
  return place.empty() ? text : text + " (" + place + ")";
}

}  // namespace mora::report
