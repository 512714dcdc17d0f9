/// Rules that say when the figures are misleading: a first iteration that is a warm-up (rule 9), and a one-process time
/// that differs from the prediction (rule 10). Following them makes the figures better, not the program faster, so
/// their gain is zero. Source: DVM analyser, 4.3.
#include <algorithm>

#include <fmt/format.h>

#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;
using analysis::Interval;

constexpr std::int64_t fewest_executions = 3;  ///< of which one is the first: two others at least

struct FirstIteration {
  Nanoseconds first = 0, rest_mean = 0;
  std::int64_t others = 0;  ///< executions that the mean is of
  std::int64_t times = 0;   ///< the same, of one process
  bool by_id = false;       ///< iterations are intervals of their own
};

/// By the metric of first executions: of all processes together.
FirstIteration by_executions(const Interval& interval) {
  FirstIteration f;
  Nanoseconds all = 0;
  std::int64_t executions = 0;
  for (const auto& process : interval.processes) {
    f.first += process.value(Characteristic::first_execution);
    all += process.value(Characteristic::execution_time);
    executions += process.executions;
  }
  const auto n = static_cast<std::int64_t>(interval.processes.size());
  if (n == 0 || executions < fewest_executions * n || f.first == 0) return {};
  f.others = executions - n;
  f.times = interval.executions - 1;
  f.rest_mean = (all - f.first) / f.others;
  f.first /= n;
  return f;
}

/// By ids: the first of siblings of one file and line; only that one answers.
FirstIteration by_ids(const Ledger& ledger, std::size_t index) {
  const Interval& first = ledger.interval(index);
  if (first.parent >= ledger.table().intervals.size() || first.processes.empty()) return {};
  FirstIteration f;
  f.by_id = true;
  Nanoseconds rest = 0;
  for (const std::size_t sibling : ledger.children(first.parent)) {
    const Interval& other = ledger.interval(sibling);
    if (sibling == index || other.file != first.file || other.line != first.line || other.name != first.name) continue;
    if (sibling < index || other.executions != 1) return {};
    rest += other.value(Characteristic::execution_time);
    ++f.others;
  }
  if (first.executions != 1 || f.others < fewest_executions - 1) return {};
  f.first = first.value(Characteristic::execution_time);
  f.rest_mean = rest / f.others;
  f.times = f.others;
  return f;
}

const Rule rule_9{
    "rule-9",
    9,
    "first iteration",
    {Loss::figures},
    "an interval is executed at least three times; the first execution takes at least `first-iteration` times the mean "
    "of the others, and the difference is at least `loss` of the run time",
    "The first iteration is a warm-up (loading the program, first touch of memory, making connections): leave it out "
    "of the measurement, or measure more iterations.",
    "DVM analyser, 4.3",
    {Threshold::first_iteration, Threshold::loss},
    [](const Question& question) -> std::optional<Conclusion> {
      const Interval& interval = question.ledger.interval(question.interval);
      FirstIteration f = by_executions(interval);
      if (f.others == 0) f = by_ids(question.ledger, question.interval);
      if (f.others == 0 || f.rest_mean <= 0) return std::nullopt;
      const Nanoseconds more = f.first - f.rest_mean;
      if (ratio(more, question.ledger.value(0, Characteristic::execution_time)) < question.limit(Threshold::loss))
        return std::nullopt;
      auto conclusion =
          conclusion_if(question, more, ratio(f.first, f.rest_mean), question.limit(Threshold::first_iteration));
      if (!conclusion) return conclusion;
      conclusion->what = fmt::format("the first iteration of {} takes {:.2f} times as long as the others",
                                     question.ledger.name(question.interval), ratio(f.first, f.rest_mean));
      conclusion->evidence = {
          time_fact("first_execution", f.first,
                    fmt::format("first: {}{}", time_for_people(f.first), f.by_id ? "" : " (mean over the processes)")),
          time_fact("other_executions", f.rest_mean,
                    fmt::format("mean of the {} others: {}", f.times, time_for_people(f.rest_mean)))};
      for (const auto& process : interval.processes) conclusion->ranks.push_back(process.rank);
      conclusion->places = {{question.ledger.name(question.interval),
                             {interval.file, interval.line},
                             std::nullopt,
                             more,
                             "first_execution"}};
      conclusion->gain_reason = "none: the figures become more reliable, the program does not become faster";
      return conclusion;
    }};

const Rule rule_10{
    "rule-10",
    10,
    "one-process time",
    {Loss::figures},
    "a run of one process is given (--one-process) and its time differs from the productive time by at least "
    "`one-process` of that",
    "The efficiency is computed from the productive time, which is a prediction and not exact here. If the measured "
    "time is longer, one process has more data than its cache holds (or more to do); if it is shorter, parallel "
    "execution has costs that count as computation. Compare run times too, not only efficiencies.",
    "DVM analyser, 4.3",
    {Threshold::one_process},
    [](const Question& question) -> std::optional<Conclusion> {
      const OneProcessComparison* comparison = question.ledger.input().one_process;
      if (comparison == nullptr || !comparison->why_not.empty()) return std::nullopt;
      const auto row = std::lower_bound(comparison->rows.begin(), comparison->rows.end(), question.interval,
                                        [](const auto& r, std::size_t interval) { return r.interval < interval; });
      if (row == comparison->rows.end() || row->interval != question.interval || row->predicted <= 0)
        return std::nullopt;
      if (row->findings.front().cause == OneProcessCause::negligible) return std::nullopt;
      const Nanoseconds off = row->difference < 0 ? -row->difference : row->difference;
      auto conclusion =
          conclusion_if(question, off, ratio(off, row->predicted), question.limit(Threshold::one_process));
      if (!conclusion) return conclusion;
      conclusion->what = fmt::format("one process needs {} for {}, {} than predicted", time_for_people(row->measured),
                                     question.ledger.name(question.interval), row->difference > 0 ? "more" : "less");
      conclusion->evidence = {
          time_fact("predicted", row->predicted, fmt::format("productive time {}", time_for_people(row->predicted))),
          time_fact("measured", row->measured,
                    fmt::format("measured with one process {}, {:.3f} times that", time_for_people(row->measured),
                                row->ratio)),
          time_fact("difference", row->difference,
                    fmt::format("efficiency {:.4f} by the prediction, {:.4f} by the measurement", row->efficiency,
                                row->efficiency_measured))};
      for (const OneProcessFinding& finding : row->findings)
        conclusion->evidence.push_back(time_fact("explanation", finding.amount, finding.text));
      const Interval& interval = question.ledger.interval(question.interval);
      conclusion->places = {
          {question.ledger.name(question.interval), {interval.file, interval.line}, std::nullopt, off, "difference"}};
      conclusion->gain_reason = "none: the figures become more reliable, the program does not become faster";
      return conclusion;
    }};

}  // namespace

std::vector<const Rule*> figures_rules() { return {&rule_9, &rule_10}; }

}  // namespace mora::report::advice
