/// Intervals as CSV (docs/formats/intervals.md): one row per interval, process and characteristic.
#include <fmt/format.h>

#include "base/table/table.h"
#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Interval;

class IntervalCsv {
 public:
  IntervalCsv(const analysis::IntervalTable& table, const IntervalReportOptions& options)
      : table_(table), options_(options), infos_(chosen(table, options)) {}

  std::string write() {
    for (const auto& [rule, meaning] : analysis::names(table_.rules))
      general("rule/" + rule, meaning.substr(0, meaning.find(':')));
    for (const Exclusion& exclusion : options_.left_out) general("without_id", exclusion.text());
    for (const std::size_t index : shown_intervals(table_, options_)) interval(index);
    return std::move(out_);
  }

 private:
  static std::vector<CharacteristicInfo> chosen(const analysis::IntervalTable& table,
                                                const IntervalReportOptions& options) {
    if (options.metrics.empty()) return analysis::characteristics_of(table);
    std::vector<CharacteristicInfo> infos;
    for (const Characteristic c : options.metrics) infos.push_back(analysis::info_of(c));
    return infos;
  }

  /// Of the whole report: no interval, no rank.
  void general(const std::string& what, const std::string& text) {
    out_ += csv_line({{}, {}, {}, {}, {}, {}, {}, what, text});
  }

  /// `rank`: nothing = of the interval.
  void row(const Cell& rank, const std::string& characteristic, const Cell& value) {
    Cells cells = head_;
    cells.insert(cells.end(), {rank, characteristic, value});
    out_ += csv_line(cells);
  }

  void characteristics(const Cell& rank, const analysis::Amounts& amounts, double efficiency, std::int64_t executions) {
    for (const CharacteristicInfo& info : infos_)
      row(rank, std::string(info.key), characteristic_cell(info.id, amounts, efficiency, processors_));
    row(rank, "count", executions);
  }

  void function(const Cell& rank, const std::string& name, const analysis::KindAmounts& amounts) {
    for (const auto& [key, member] : kind_keys) row(rank, name + '/' + std::string(key), kind_cell(amounts, member));
  }

  /// Tmin, Tmax and Tmid.
  void comparison(const Interval& interval) {
    for (const CharacteristicInfo& info : infos_) {
      if (info.id == Characteristic::efficiency || info.id == Characteristic::processors) continue;
      const analysis::Comparison all = interval.compare(info.id);
      const std::string key(info.key);
      row({}, key + "/min", amount_cell(info.id, all.minimum));
      row({}, key + "/min_rank", all.minimum_rank);
      row({}, key + "/max", amount_cell(info.id, all.maximum));
      row({}, key + "/max_rank", all.maximum_rank);
      row({}, key + "/mean", amount_cell(info.id, all.mean));
    }
  }

  void interval(std::size_t index) {
    const Interval& interval = table_.intervals[index];
    processors_ = interval.processes.size();
    head_ = {table_.number(index), interval.file, interval.line, interval.id, interval.level, interval.name};
    characteristics({}, interval.sum, interval.efficiency(), interval.executions);
    comparison(interval);
    const bool has_all = options_.metrics.empty();
    for (const analysis::KindRow& kind : interval.kinds) {
      if (has_all) function({}, kind.name, kind.sum);
    }
    for (const std::string& note : interval.notes) row({}, "note", note);
    for (std::size_t p = 0; p < interval.processes.size(); ++p) {
      const analysis::ProcessAmounts process = interval.processes[p];
      if (options_.ranks && !options_.ranks->holds(process.rank)) continue;
      characteristics(process.rank, process.amounts(), efficiency_of(process), process.executions);
      for (const analysis::KindRow& kind : interval.kinds) {
        const analysis::KindAmounts amounts = kind.of_process(p);
        if (!has_all) break;
        if (amounts.count != 0 || amounts.communication != 0) function(process.rank, kind.name, amounts);
      }
    }
  }

  const analysis::IntervalTable& table_;
  const IntervalReportOptions& options_;
  const std::vector<CharacteristicInfo> infos_;
  Cells head_;  ///< what all rows of an interval begin with
  std::size_t processors_ = 0;
  std::string out_ = "interval,file,line,id,level,name,rank,characteristic,value\n";
};

}  // namespace

std::string intervals_csv(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  return IntervalCsv(table, options).write();
}

}  // namespace mora::report
