/// The explanation of a number as text. Every sum is added up again where it is printed and compared with the number; a
/// difference is printed, too.
#include <algorithm>

#include <fmt/format.h>

#include "report/data/figures.h"
#include "report/data/report_data.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/seconds_format.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::CharacteristicInfo;
using analysis::Interval;
using analysis::IntervalTable;

class WhyWriter {
 public:
  WhyWriter(const cube::Cube& cube, const IntervalTable& table, const Question& question, const WhyOptions& options,
            SecondsFormat& seconds)
      : cube_(cube), table_(table), question_(question), options_(options), seconds_(seconds) {}

  std::string write(const CallsBehind* behind, const std::string& why_no_calls) {
    const Operand number = operands_of(table_, question_);
    head(number);
    formula();
    operands(number);
    paths(number);
    if (behind != nullptr) {
      calls(*behind);
    } else {
      line("");
      line(wrapped("The calls behind it cannot be listed: " + why_no_calls, options_.width, 2));
    }
    notes();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  std::size_t shown(std::size_t all) const { return options_.limit == 0 ? all : std::min(all, options_.limit); }
  const Interval& interval() const { return table_.intervals[question_.interval]; }
  bool is(Characteristic c) const { return question_.characteristic == c; }

  std::string whose() const {
    return question_.process ? fmt::format("rank {}", interval().processes[*question_.process].rank)
                             : "all its processes";
  }

  std::string value_text(const Operand& operand) {
    return operand.is_count ? std::to_string(operand.value) : amount_text(operand.value);
  }
  std::string amount_text(std::int64_t amount) { return seconds_.amount(question_.characteristic, amount); }

  void head(const Operand& number) {
    const CharacteristicInfo& info = analysis::info_of(question_.characteristic);
    std::string value = amount_text(number.value) + (analysis::info_of(question_.characteristic).is_count ? "" : " s");
    if (is(Characteristic::efficiency)) value = ratio_text(number.operands.at(0).value, number.operands.at(1).value);
    if (is(Characteristic::processors)) value = std::to_string(number.value);
    line(
        fmt::format("{} of interval {}, {}: {}", info.key, interval_words(table_, question_.interval), whose(), value));
  }

  void formula() {
    const CharacteristicInfo& info = analysis::info_of(question_.characteristic);
    line("");
    line(fmt::format("{}: {}", info.name, info.formula));
    line(fmt::format("Source: {}", info.source));
    for (const auto& [rule, meaning] : analysis::names(table_.rules)) {
      if (depends_on(rule)) line(fmt::format("Definition {}: {}", rule, meaning));
    }
  }

  bool depends_on(const std::string& rule) const {
    using enum Characteristic;
    const auto is_one_of = [&](std::initializer_list<Characteristic> all) {
      return std::find(all.begin(), all.end(), question_.characteristic) != all.end();
    };
    if (rule == "productive") return is_one_of({efficiency, productive_time, lost_time, useful_mpi});
    if (rule == "synchronization") return is(potential_synchronization);
    if (rule == "load") return is(load_imbalance);
    return is_one_of({communication, point_to_point, system_insufficient_parallelism});
  }

  void operands(const Operand& number) {
    if (number.operands.empty()) return;
    line("");
    line(is(Characteristic::efficiency) ? "Operands (the first divided by the second)" : "Operands");
    for (const Operand& operand : number.operands) operand_line(operand, 1);
    if (is(Characteristic::efficiency) || number.operands.back().is_count) return;
    Nanoseconds sum = 0;
    for (const Operand& operand : number.operands) sum += operand.is_subtracted ? -operand.value : operand.value;
    line(fmt::format("  = {}", amount_text(sum)));
  }

  void operand_line(const Operand& operand, std::size_t depth) {
    std::string text = fmt::format("{}{} {}", std::string(2 * depth, ' '),
                                   operand.is_subtracted ? '-'
                                   : operand.is_count    ? 'x'
                                                         : '+',
                                   operand.name);
    text += std::string(text.size() < 48 ? 48 - text.size() : 1, ' ') + fmt::format("{:>12}", value_text(operand));
    if (!operand.remark.empty()) text += "  " + operand.remark;
    line(text);
    for (const Operand& below : operand.operands) operand_line(below, depth + 1);
  }

  void paths(const Operand& number) {
    const std::vector<Contribution> contributions = contributions_of(cube_, table_, question_);
    line("");
    if (contributions.empty()) {
      line("No call path contributes to it.");
      return;
    }
    const bool compares = is(Characteristic::idle_time) || is(Characteristic::load_imbalance);
    line(compares ? "Call paths (additional time of the process with the maximum)"
                  : "Call paths (amount, visits, metrics)");
    Nanoseconds sum = 0;
    for (const Contribution& c : contributions) sum += c.amount;
    for (std::size_t i = 0; i < shown(contributions.size()); ++i) {
      const Contribution& c = contributions[i];
      std::string metrics;
      for (const std::string& metric : c.metrics) metrics += (metrics.empty() ? "" : " ") + metric;
      line(fmt::format("  {:>12} {:>8}  {}  [{}]", amount_text(c.amount), c.visits,
                       cut_middle(joined_below_program(labels_of(cube_, c.call_path)), options_.width), metrics));
    }
    if (shown(contributions.size()) < contributions.size()) {
      line(fmt::format("  … {} of {} call paths shown; --limit 0 shows all", shown(contributions.size()),
                       contributions.size()));
    }
    const bool is_same = sum == (is(Characteristic::efficiency) ? number.operands.at(0).value : number.value);
    line(fmt::format("  All {} call paths: {}{}", contributions.size(), amount_text(sum),
                     !is_same                         ? "; " + why_not_the_number()
                     : is(Characteristic::efficiency) ? " = the first operand"
                                                      : " = the number"));
  }

  /// Why the call paths do not sum to it.
  std::string why_not_the_number() const {
    switch (question_.characteristic) {
      case Characteristic::efficiency:
        return "the productive time before repeated computation is subtracted";
      case Characteristic::lost_time:
        return "idle time and repeated computation belong to no call path";
      case Characteristic::productive_time:
        return "minus repeated computation, plus useful MPI time";
      case Characteristic::execution_time:
        return "of all processes; the number is the longest";
      case Characteristic::total_time:
        return "the rest is idle time";
      case Characteristic::useful_mpi:
        return "only the process with the least MPI time counts";
      default:
        return "the number differs";
    }
  }

  void calls(const CallsBehind& behind) {
    line("");
    line(fmt::format("In the trace, rank {}{} (enter, leave, amount; s from the start)", behind.rank,
                     question_.process ? "" : ", which has the most of it"));
    for (std::size_t i = 0; i < shown(behind.calls.size()); ++i) {
      const CallBehind& call = behind.calls[i];
      std::string label = "?";
      if (call.call_path < cube_.call_paths.size()) label = labels_of(cube_, call.call_path).back();
      line(fmt::format("  {:>12} {:>12} {:>12}  {}{}{}", seconds_(call.enter), seconds_(call.leave),
                       seconds_(call.amount), cut_middle(label, options_.width), call.what.empty() ? "" : " ",
                       call.what));
    }
    Nanoseconds listed = 0;
    for (std::size_t i = 0; i < shown(behind.calls.size()); ++i) listed += behind.calls[i].amount;
    if (shown(behind.calls.size()) < behind.calls.size()) {
      line(fmt::format("  … {} of {} shown ({}); --limit 0 shows all", shown(behind.calls.size()), behind.calls.size(),
                       seconds_(listed)));
    }
    const Nanoseconds value = value_of(behind.rank);
    line(fmt::format("  All {} events: {}{}", behind.calls.size(), amount_text(behind.sum),
                     behind.sum == value ? is(Characteristic::efficiency) ? " = productive_time of this rank"
                                                                          : " = the value of this rank"
                                         : fmt::format("; the value of this rank is {}", amount_text(value))));
    if (behind.calls.empty() && value != 0) {
      line("  No calls: idle time, repeated computation and measurement are not made of calls");
    }
    for (const std::string& remark : behind.remarks) line(wrapped("  " + remark, options_.width, 2));
  }

  Nanoseconds value_of(std::uint32_t rank) const {
    const Characteristic c =
        is(Characteristic::efficiency) ? Characteristic::productive_time : question_.characteristic;
    for (const analysis::ProcessAmounts& p : interval().processes) {
      if (p.rank == rank) return p.value(c);
    }
    return 0;
  }

  void notes() {
    if (interval().notes.empty()) return;
    line("");
    for (const std::string& note : interval().notes) line(wrapped("Note: " + note, options_.width, 2));
  }

  const cube::Cube& cube_;
  const IntervalTable& table_;
  const Question& question_;
  const WhyOptions& options_;
  SecondsFormat& seconds_;
  std::string out_;
};

}  // namespace

std::string why_text(const cube::Cube& cube, const IntervalTable& table, const Question& question,
                     const CallsBehind* behind, const std::string& why_no_calls, const WhyOptions& options) {
  return with_enough_digits([&](SecondsFormat& seconds) {
    return WhyWriter(cube, table, question, options, seconds).write(behind, why_no_calls);
  });
}

}  // namespace mora::report
