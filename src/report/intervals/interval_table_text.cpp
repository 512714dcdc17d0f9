/// The table interval x characteristic as text (`mora report --intervals --metric`): a row per interval. One
/// characteristic has its extremes beside it, or the processes that were asked for.
#include <fmt/format.h>

#include "base/table/text_page.h"
#include "base/text/source_place.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/seconds_format.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Comparison;
using analysis::Interval;
using analysis::ProcessAmounts;

bool has_comparison(Characteristic c) { return c != Characteristic::efficiency && c != Characteristic::processors; }

class TableWriter {
 public:
  TableWriter(const analysis::IntervalTable& table, const IntervalReportOptions& options, SecondsFormat& seconds)
      : table_(table), options_(options), seconds_(seconds) {}

  std::string write() {
    std::vector<Column> columns{words("interval", 20), words("place", 12)};
    for (const Characteristic c : options_.metrics)
      columns.push_back(number(std::string(analysis::info_of(c).key), 10));
    const bool is_compared =
        options_.metrics.size() == 1 && !options_.ranks && has_comparison(options_.metrics.front());
    if (is_compared) {
      for (const char* name : {"min", "rank", "max", "rank", "mean"}) columns.push_back(number(name, 6));
    }
    const std::vector<std::uint32_t> ranks = shown_ranks();
    for (const Characteristic c : options_.metrics) {
      for (const std::uint32_t rank : ranks) {
        const std::string name = options_.metrics.size() == 1 ? "" : std::string(analysis::info_of(c).key) + " ";
        columns.push_back(number(fmt::format("{}rank {}", name, rank), 8));
      }
    }
    Table rows(std::move(columns));
    for (const std::size_t index : shown_intervals(table_, options_)) {
      const Interval& interval = table_.intervals[index];
      Cells cells{std::string(std::size_t{2} * interval.level, ' ') + table_.number(index) + " " + interval.name,
                  place_of(interval)};
      for (const Characteristic c : options_.metrics) cells.emplace_back(value_of(interval, c));
      if (is_compared) {
        const Comparison all = interval.compare(options_.metrics.front());
        for (Cell& cell : Cells{seconds_.amount(options_.metrics.front(), all.minimum), all.minimum_rank,
                                seconds_.amount(options_.metrics.front(), all.maximum), all.maximum_rank,
                                mean_of(options_.metrics.front(), all.mean)})
          cells.push_back(std::move(cell));
      }
      for (const Characteristic c : options_.metrics) {
        for (const std::uint32_t rank : ranks) cells.emplace_back(value_of(interval, c, rank));
      }
      rows.add(std::move(cells));
    }
    std::string out = text_of(rows);
    for (const auto& [rule, meaning] : analysis::names(table_.rules))
      out += fmt::format("Definition {:<16} {}\n", rule, meaning);
    if (!options_.left_out.empty()) out += "Left out: " + exclusion_words(options_.left_out) + "\n";
    return out;
  }

 private:
  std::vector<std::uint32_t> shown_ranks() const {
    std::vector<std::uint32_t> ranks;
    if (!options_.ranks) return ranks;
    for (const ProcessAmounts& process : table_.intervals.front().processes) {
      if (options_.ranks->holds(process.rank)) ranks.push_back(process.rank);
    }
    return ranks;
  }
  std::string mean_of(Characteristic c, std::int64_t mean) const {
    return analysis::info_of(c).is_count ? std::to_string(mean) : seconds_.truncated(mean);
  }
  static std::string place_of(const Interval& interval) {
    std::string place = source_place(interval.file, interval.line);
    if (interval.id != 0) place += fmt::format("#{}", interval.id);
    return place;
  }
  std::string value_of(const Interval& interval, Characteristic c) {
    if (c == Characteristic::processors) return std::to_string(interval.processes.size());
    if (c != Characteristic::efficiency) return seconds_.amount(c, interval.value(c));
    return ratio_text(interval.value(Characteristic::productive_time), interval.value(Characteristic::total_time));
  }
  /// "-" where the process did not execute it.
  std::string value_of(const Interval& interval, Characteristic c, std::uint32_t rank) {
    for (const ProcessAmounts& process : interval.processes) {
      if (process.rank != rank) continue;
      if (c == Characteristic::processors) return "1";
      if (c != Characteristic::efficiency) return seconds_.amount(c, process.value(c));
      return ratio_text(productive_of(process), productive_of(process) + lost_of(process));
    }
    return "-";
  }

  const analysis::IntervalTable& table_;
  const IntervalReportOptions& options_;
  SecondsFormat& seconds_;
};

}  // namespace

std::string interval_table_text(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  return with_enough_digits([&](SecondsFormat& seconds) { return TableWriter(table, options, seconds).write(); });
}

}  // namespace mora::report
