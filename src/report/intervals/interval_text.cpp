/// The interval report as text, in the form of the DVM analyser (its sample report, DVM analyser, 5.3.2).
///
/// Labels, order and prefixes are those of the sample, so that scripts written for it go on to work. That is why
/// Productive Time says "(CPU + MPI)" under every rule; the definitions in force are printed at the end of the report.
/// Behind each block follow the characteristics that the source describes but its sample does not print, as far as they
/// are not zero (Mora's rule dvm-report).
///
/// Cost: the report is rendered once with microseconds; if an amount needs nanoseconds, a second time with these.
#include <filesystem>

#include <fmt/format.h>

#include "base/table/table.h"
#include "base/table/wrapped.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/seconds_format.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Comparison;
using analysis::Interval;
using analysis::KindAmounts;
using analysis::KindRow;
using analysis::ProcessAmounts;

constexpr std::size_t label_width = 29;

/// Rows of the comparative table, in the words and the order of the sample report (DVM analyser, 5.3.2).
constexpr std::pair<Characteristic, const char*> compared_in_sample[] = {
    {Characteristic::lost_time, "Lost Time"},
    {Characteristic::idle_time, "Idle Time"},
    {Characteristic::communication, "Comm. Time"},
    {Characteristic::mpi_time, "MPI Time"},
    {Characteristic::potential_synchronization, "Potential Sync."},
    {Characteristic::time_variation, "Time variation"},
    {Characteristic::start_time, "Time of Start"},
};

/// The block of one process, in the order of DVM analyser, 5.2.
constexpr std::pair<Characteristic, const char*> of_processor[] = {
    {Characteristic::lost_time, "Lost Time"},
    {Characteristic::user_insufficient_parallelism, "User Insufficient Par."},
    {Characteristic::system_insufficient_parallelism, "Sys Insufficient Par."},
    {Characteristic::communication, "Communication"},
    {Characteristic::idle_time, "Idle Time"},
    {Characteristic::real_synchronization, "Real Synchronization"},
    {Characteristic::time_variation, "Variation"},
    {Characteristic::load_imbalance, "Load Imbalance"},
    {Characteristic::execution_time, "Execution Time"},
    {Characteristic::time_outside_mpi, "Time outside MPI"},
    {Characteristic::mpi_time, "MPI Time"},
};

template <std::size_t N>
bool is_among(const std::pair<Characteristic, const char*> (&rows)[N], Characteristic c) {
  for (const auto& row : rows) {
    if (row.first == c) return true;
  }
  return false;
}

std::int64_t amount(const ProcessAmounts& process, Characteristic c) { return process.value(c); }

bool is_zero_everywhere(const Interval& interval, Characteristic c) {
  if (interval.value(c) != 0) return false;
  for (const ProcessAmounts& process : interval.processes) {
    if (amount(process, c) != 0) return false;
  }
  return true;
}

/// A label of the sample, and amounts; the sample's columns hold at least "0.000000" and "Nproc".
Table table_of(const std::vector<std::string>& headings) {
  std::vector<Column> columns{words("", 15)};
  for (const std::string& heading : headings) columns.push_back({heading, 5});
  return Table(std::move(columns));
}

class IntervalWriter {
 public:
  IntervalWriter(const analysis::IntervalTable& table, const IntervalReportOptions& options, SecondsFormat& seconds)
      : table_(table), options_(options), seconds_(seconds) {}

  std::string write() {
    for (const std::size_t index : shown_intervals(table_, options_)) block(index);
    footer();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void value(const char* label, const std::string& text) { line(fmt::format("{:<{}}{}", label, label_width, text)); }
  void remark(const std::string& text) { line(wrapped(text, options_.width, 2)); }

  void block(std::size_t index) {
    const Interval& interval = table_.intervals[index];
    if (!out_.empty()) line("");
    header(index);
    main_characteristics(interval);
    comparative_characteristics(interval);
    further_characteristics(interval);
    operations("---Operations---", interval.kinds, [](const KindRow& kind) { return kind.sum; });
    for (std::size_t p = 0; p < interval.processes.size(); ++p) {
      if (options_.ranks && options_.ranks->holds(interval.processes[p].rank)) processor(interval, p);
    }
    for (const std::string& note : interval.notes) remark("Note: " + note);
  }

  /// The line of the program is exactly the sample's; that of a nested interval also has the number that --interval and
  /// --why take, and the name and id that the program gave it.
  void header(std::size_t index) {
    const Interval& interval = table_.intervals[index];
    const std::string file = std::filesystem::path(interval.file).filename().string();
    std::string text = fmt::format("Interval (LineNumber = {} SourceFile = {}) Level={} EXE_Count={}",
                                   interval.line == 0 ? "?" : std::to_string(interval.line), file.empty() ? "?" : file,
                                   interval.level, interval.executions);
    if (interval.level > 0) {
      text += " Number=" + table_.number(index);
      if (interval.id != 0) text += fmt::format(" Id={}", interval.id);
      if (!interval.name.empty() && interval.name != "interval") text += " Name=" + interval.name;
    }
    if (interval.replication == cube::all_processes) text += " sequential";
    if (interval.replication != cube::all_processes && interval.replication > 1) {
      text += fmt::format(" replicated by {}", interval.replication);
    }
    line(text);
  }

  void main_characteristics(const Interval& interval) {
    const auto amount_of = [&](Characteristic c) { return seconds_(interval.value(c)); };
    line("---Main Characteristics---");
    value("Parallelization Efficiency",
          ratio_text(interval.value(Characteristic::productive_time), interval.value(Characteristic::total_time)));
    value("Execution Time", amount_of(Characteristic::execution_time));
    value("Processors", std::to_string(interval.processes.size()));
    value("Total Time", amount_of(Characteristic::total_time));
    value("Productive Time", amount_of(Characteristic::productive_time) + "   (CPU + MPI)");
    value("Lost Time", amount_of(Characteristic::lost_time));
    value("---MPI Time", amount_of(Characteristic::mpi_time));
    value("---Idle Time", amount_of(Characteristic::idle_time));
    if_any(interval, "---User Insufficient Par.", Characteristic::user_insufficient_parallelism);
    if_any(interval, "---Device Time", Characteristic::device_time);
    if_any(interval, "---Measurement", Characteristic::measurement);
    if (!is_zero_everywhere(interval, Characteristic::useful_mpi))
      value("---Productive MPI Time", seconds_(-interval.value(Characteristic::useful_mpi)));
    value("Communication Time", amount_of(Characteristic::communication));
    value("*****SendRecv Time", amount_of(Characteristic::point_to_point));
    value("*****CollectiveAll Time", amount_of(Characteristic::collective));
    value("*****AllToAll Time", amount_of(Characteristic::all_to_all));
    if_any(interval, "*****OneSided Time", Characteristic::one_sided);
    if_any(interval, "*****I/O Time", Characteristic::io);
    value("Potential Sync.", amount_of(Characteristic::potential_synchronization));
    value("Time Variation", amount_of(Characteristic::time_variation));
    value("Time of Start", amount_of(Characteristic::start_time));
  }

  /// Parts for which the sample report has no line: without them the sums of the report would not add up.
  void if_any(const Interval& interval, const char* label, Characteristic c) {
    if (!is_zero_everywhere(interval, c)) value(label, seconds_(interval.value(c)));
  }

  Cells compared(const char* label, const Interval& interval, Characteristic c) {
    const Comparison all = interval.compare(c);
    return {label,
            seconds_.amount(c, all.minimum),
            all.minimum_rank,
            seconds_.amount(c, all.maximum),
            all.maximum_rank,
            analysis::info_of(c).is_count ? std::to_string(all.mean) : seconds_.truncated(all.mean)};
  }

  void comparative_characteristics(const Interval& interval) {
    line("---Comparative Characteristics---");
    Table rows = table_of({"Tmin", "Nproc", "Tmax", "Nproc", "Tmid"});
    for (const auto& [c, label] : compared_in_sample) rows.add(compared(label, interval, c));
    out_ += text_of(rows);
  }

  void further_characteristics(const Interval& interval) {
    Table rows = table_of({"Value", "Tmin", "Nproc", "Tmax", "Nproc", "Tmid"});
    for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
      if (info.id == Characteristic::efficiency || info.id == Characteristic::processors ||
          info.id == Characteristic::total_time || is_among(compared_in_sample, info.id) ||
          is_zero_everywhere(interval, info.id)) {
        continue;
      }
      Cells cells = compared(info.name.data(), interval, info.id);
      cells.insert(cells.begin() + 1, seconds_.amount(info.id, interval.value(info.id)));
      rows.add(std::move(cells));
    }
    if (rows.rows().empty()) return;
    line("---Further Characteristics---");
    out_ += text_of(rows);
  }

  /// The table per MPI function (DVM analyser, 5.2); `amounts_of` picks the amounts of the interval or of a process.
  template <class AmountsOf>
  void operations(const std::string& title, const std::vector<KindRow>& kinds, AmountsOf amounts_of) {
    Table rows = table_of({"Calls", "Comm. Time", "Real Sync.", "Potential Sync.", "Time Variation", "Overlap"});
    for (const KindRow& kind : kinds) {
      const KindAmounts amounts = amounts_of(kind);
      if (amounts.count == 0 && amounts.communication == 0) continue;
      rows.add({cut_middle(kind.name, 40), amounts.count, seconds_(amounts.communication),
                seconds_(amounts.real_synchronization), seconds_(amounts.potential_synchronization),
                seconds_(amounts.time_variation), seconds_(amounts.overlap)});
    }
    if (rows.rows().empty()) return;
    if (!title.empty()) line(title);
    out_ += text_of(rows);
  }

  void processor(const Interval& interval, std::size_t p) {
    const ProcessAmounts process = interval.processes[p];
    line(fmt::format("---Processor {}---", process.rank));
    value("Parallelization Efficiency", ratio_text(productive_of(process), productive_of(process) + lost_of(process)));
    for (const auto& [c, label] : of_processor) value(label, seconds_(amount(process, c)));
    value("Processors", std::to_string(interval.processes.size()));
    value("EXE_Count", std::to_string(process.executions));
    for (const CharacteristicInfo& info : analysis::characteristic_infos()) {
      if (info.id == Characteristic::processors || info.id == Characteristic::total_time ||
          is_among(of_processor, info.id) || amount(process, info.id) == 0) {
        continue;
      }
      value(info.name.data(), seconds_.amount(info.id, amount(process, info.id)));
    }
    operations("", interval.kinds, [p](const KindRow& kind) { return kind.of_process(p); });
  }

  void footer() {
    line("");
    for (const auto& [rule, meaning] : analysis::names(table_.rules))
      line(fmt::format("Definition {:<16} {}", rule, meaning));
    remark(
        "Labels: those of the DVM analyser; CPU in them is wall time outside MPI. Nproc: rank; Tmin, Tmax, Tmid: "
        "minimum, maximum, mean of the processes; "
        "the others: docs/glossary.md");
    if (!options_.left_out.empty()) {
      remark(fmt::format("Left out: {}; the other figures are those of a program that did not execute them",
                         exclusion_words(options_.left_out)));
    }
    if (table_.has_threads) {
      remark("Note: these figures are those of the main thread of each process; other threads are not included");
    }
  }

  const analysis::IntervalTable& table_;
  const IntervalReportOptions& options_;
  SecondsFormat& seconds_;
  std::string out_;
};

}  // namespace

std::string intervals_text(const analysis::IntervalTable& table, const IntervalReportOptions& options) {
  return with_enough_digits([&](SecondsFormat& seconds) { return IntervalWriter(table, options, seconds).write(); });
}

}  // namespace mora::report
