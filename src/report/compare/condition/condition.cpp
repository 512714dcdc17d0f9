/// Evaluates the tree of a condition. All tests are evaluated, also behind a decided `and` or `or`: an unknown name
/// must be reported whatever the values are. Units are checked against the figure before the comparison.
#include "report/compare/condition/condition.h"

#include <optional>

#include <fmt/format.h>

#include "base/time.h"

namespace mora::compare {
namespace {

struct Evaluator {
  const Comparison& comparison;

  tl::unexpected<Error> wrong(const Condition& test, const std::string& what, const std::string& why,
                              const std::string& help = {}) const {
    return fail(ErrorKind::usage, what, fmt::format("--fail-if, column {}: {}", test.place + 1, test.text), why, help);
  }

  Result<Verdict> evaluate(const Condition& condition) const {
    switch (condition.kind) {
      case Condition::Kind::test:
        return evaluate_test(condition);
      case Condition::Kind::negation: {
        MORA_TRY(Verdict verdict, evaluate(condition.parts[0]));
        verdict.holds = !verdict.holds;
        return verdict;
      }
      case Condition::Kind::either:
      case Condition::Kind::both:
        break;
    }
    // All parts are evaluated: an error in one of them must not depend on the others' values.
    const bool is_either = condition.kind == Condition::Kind::either;
    Verdict all{!is_either, {}};
    std::vector<std::string> deciding, others;
    for (const Condition& part : condition.parts) {
      MORA_TRY(const Verdict verdict, evaluate(part));
      auto& into = verdict.holds == is_either ? deciding : others;
      into.insert(into.end(), verdict.reasons.begin(), verdict.reasons.end());
      if (verdict.holds == is_either) all.holds = is_either;
    }
    all.reasons = all.holds == is_either ? deciding : others;
    return all;
  }

  Result<std::size_t> find_interval(const Condition& test) const {
    if (test.interval.empty()) {
      if (comparison.intervals().roots().empty()) return wrong(test, "this result holds no call paths", "");
      return comparison.intervals().roots().front();
    }
    std::string why;
    const std::size_t interval = comparison.find_interval(test.interval, &why);
    if (interval != none) return interval;
    return wrong(test, "there is no such interval: " + test.interval, why,
                 "`mora report --intervals` lists them; 0 is the program");
  }

  Result<void> check_units(const Condition& test, const Figure& figure) const {
    const auto unfit = [&](const std::string& needs) {
      return wrong(test, "the unit does not fit", fmt::format("{} needs {}", figure.key, needs));
    };
    const bool is_plain = test.unit == NumberUnit::plain, is_percent = test.unit == NumberUnit::percent;
    if (test.against == Against::ratio) {
      if (!is_plain && !is_percent) return unfit("a number or a percentage, for ratio() has no unit");
      return {};
    }
    if (is_percent && test.against == Against::last && figure.unit != FigureUnit::ratio)
      return unfit("an amount; a percentage is understood in delta() and ratio(): of the first run's");
    switch (figure.unit) {
      case FigureUnit::ratio:
        if (!is_plain && !is_percent) return unfit("a number or a percentage");
        break;
      case FigureUnit::seconds:
        if (test.unit == NumberUnit::bytes) return unfit("a time: 10ms");
        break;
      case FigureUnit::occurrences:
        if (!is_plain && !is_percent) return unfit("a number without unit");
        break;
      case FigureUnit::bytes:
        if (test.unit == NumberUnit::seconds) return unfit("bytes: 10MiB");
        break;
    }
    return {};
  }

  static std::string shown(long double value, FigureUnit unit) {
    if (unit == FigureUnit::ratio) return fmt::format("{:.6g}", static_cast<double>(value));
    const auto whole = static_cast<std::int64_t>(value + (value < 0 ? -0.5L : 0.5L));
    if (unit == FigureUnit::seconds) return seconds_exact(whole) + " s";
    return fmt::format("{}{}", whole, unit == FigureUnit::bytes ? " B" : "");
  }

  static bool holds(long double value, Comparator comparator, long double number) {
    switch (comparator) {
      case Comparator::less:
        return value < number;
      case Comparator::less_equal:
        return value <= number;
      case Comparator::greater:
        return value > number;
      case Comparator::greater_equal:
        return value >= number;
      case Comparator::equal:
        return value == number;
      case Comparator::not_equal:
        return value != number;
    }
    return false;
  }

  static long double number_of(const Spread& spread) {
    if (spread.unit == FigureUnit::ratio) return spread.mean().ratio;
    return static_cast<long double>(spread.sum.amount) / spread.runs;
  }

  Result<const Figure*> find_figure(const Condition& test) const {
    const Figure* figure = comparison.catalogue().find(test.name);
    if (figure == nullptr) {
      const std::string guess = comparison.catalogue().nearest(test.name);
      return wrong(test, "there is no figure " + test.name,
                   "it is no characteristic of intervals, POP metric or metric",
                   guess.empty() ? "`mora compare --names EXP` lists them" : "did you mean " + guess + "?");
    }
    return figure;
  }

  Result<void> check_known(const Condition& test, const FigureRow& row, std::size_t interval, std::size_t c) const {
    const Configuration& configuration = comparison.configurations()[c];
    if (!comparison.has(comparison.intervals().nodes()[interval], c))
      return wrong(test, "the interval is not in " + configuration.label, comparison.interval_label(interval));
    // What was neither called nor computed is not known there: everything but lengths and numbers of processes.
    const bool is_of_time = row.figure->kind == FigureKind::pop ||
                            (row.figure->kind == FigureKind::characteristic && row.figure->key != "execution_time" &&
                             row.figure->key != "total_time" && row.figure->key != "processors");
    for (const std::size_t run : configuration.runs) {
      if (is_of_time && !comparison.runs()[run].table.has_regions)
        return wrong(test, row.figure->key + " is not known of " + configuration.label,
                     "its trace holds no call, function or state, so that all of its time would be productive",
                     "record calls, functions or states, too");
    }
    bool has_metric = row.figure->kind != FigureKind::metric;
    for (const std::size_t run : configuration.runs)
      has_metric = has_metric || comparison.runs()[run].cube.find_metric(row.figure->key) != cube::no_id;
    if (row.values[c].present == 0 || !has_metric)
      return wrong(test, row.figure->key + " is not known of " + configuration.label,
                   row.figure->kind == FigureKind::metric ? "its result does not hold this metric"
                                                          : "the run does not hold what it is computed from",
                   "`mora analyze` it again with this version of Mora, or leave the condition out");
    return {};
  }

  Result<Verdict> evaluate_test(const Condition& test) const {
    MORA_TRY(const Figure* figure, find_figure(test));
    MORA_CHECK_OK(check_units(test, *figure));
    MORA_TRY(const std::size_t interval, find_interval(test));
    const FigureRow row = comparison.interval_figure(interval, *figure);
    const std::size_t last = row.values.size() - 1;
    MORA_CHECK_OK(check_known(test, row, interval, last));
    if (test.against == Against::last) {
      long double number = test.number;
      if (figure->unit == FigureUnit::seconds && test.unit == NumberUnit::plain) number *= 1e9L;
      const long double value = number_of(row.values[last]);
      return verdict(test, holds(value, test.comparator, number), shown(value, figure->unit));
    }
    if (last == 0)
      return wrong(test, "delta() and ratio() compare two runs", "only one was given", "mora compare BEFORE AFTER …");
    MORA_CHECK_OK(check_known(test, row, interval, 0));
    const std::optional<Change> change = row.change();
    const long double first = number_of(row.values[0]);
    const bool is_chance = change->significance == Significance::insignificant;
    const std::string within = is_chance ? " but inside the run-to-run spread: counts as no change" : "";
    if (test.against == Against::ratio) {
      if (!change->ratio && number_of(row.values[last]) != 0)
        return wrong(test, "the ratio is not known", figure->key + " is zero in the first run", "use delta()");
      const long double ratio = is_chance || !change->ratio ? 1 : static_cast<long double>(*change->ratio);
      return verdict(test, holds(ratio, test.comparator, test.number),
                     fmt::format("{:.6g}{}", change->ratio.value_or(1), within));
    }
    const long double exact = number_of(row.values[last]) - first;
    const long double difference = is_chance ? 0 : exact;
    long double number = test.number;
    std::string share;
    if (figure->unit != FigureUnit::ratio && test.unit == NumberUnit::percent) {
      number *= first < 0 ? -first : first;
      if (first != 0) share = fmt::format(" ({:+.4g} %)", static_cast<double>(100 * exact / first));
    } else if (figure->unit == FigureUnit::seconds && test.unit == NumberUnit::plain) {
      number *= 1e9L;
    }
    return verdict(test, holds(difference, test.comparator, number), shown(exact, figure->unit) + share + within);
  }

  static Verdict verdict(const Condition& test, bool is_true, const std::string& value) {
    return {is_true, {fmt::format("{}: {} ({})", test.text, is_true ? "true" : "false", "it is " + value)}};
  }
};

}  // namespace

Result<Verdict> evaluate(const Condition& condition, const Comparison& comparison) {
  return Evaluator{comparison}.evaluate(condition);
}

}  // namespace mora::compare
