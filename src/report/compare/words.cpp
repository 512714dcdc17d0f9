/// What changed, in words: the run time, the lost time, the wait states and the call paths that changed most. Each
/// sentence states a difference that the tables have, too; one that may be chance is said to be that, not a change.
#include <algorithm>

#include <fmt/format.h>

#include "base/time.h"
#include "report/compare/compare_report.h"

namespace mora::compare {
namespace {

constexpr std::size_t waits_named = 3, call_paths_named = 2;

class Words {
 public:
  explicit Words(const Comparison& comparison)
      : comparison_(comparison),
        first_(comparison.configurations().front().label),
        last_(comparison.configurations().back().label) {}

  std::vector<std::string> say() {
    if (comparison_.configurations().size() < 2 || comparison_.intervals().roots().empty()) return {};
    const std::size_t program = comparison_.intervals().roots().front();
    const auto figure = [&](const char* key, const char* what) {
      if (const Figure* found = comparison_.catalogue().find(key)) {
        add(what, comparison_.interval_figure(program, *found), true);
      }
    };
    figure("execution_time", "The run time");
    figure("lost_time", "The lost time of all processes together");
    std::vector<FigureRow> waits;
    for (const FigureRow& row : comparison_.interval_figures(program)) {
      if (row.figure->is_wait_state && row.figure->unit == FigureUnit::seconds && size_of_change(row) > 0)
        waits.push_back(row);
    }
    std::stable_sort(waits.begin(), waits.end(), is_larger_change);
    for (std::size_t i = 0; i < std::min(waits_named, waits.size()); ++i)
      add("Waiting of the kind " + waits[i].figure->name, waits[i], false);
    if (const Figure* time = metric_figure(comparison_, "time")) {
      const auto changes = call_path_changes(comparison_, *time);
      for (std::size_t i = 0; i < std::min(call_paths_named, changes.size()); ++i) {
        add("The time of all processes in " + comparison_.call_path_label(changes[i].call_path), changes[i].row, false);
      }
    }
    return std::move(sentences_);
  }

 private:
  /// `always`: also where nothing changed.
  void add(const std::string& what, const FigureRow& row, bool always) {
    const auto change = row.change();
    if (!change) return;
    const Nanoseconds before = row.values.front().mean().amount, after = row.values.back().mean().amount;
    const Nanoseconds by = change->difference.amount;
    if (by == 0) {
      if (always) sentences_.push_back(fmt::format("{} is the same in both, {}.", what, time_for_people(before)));
      return;
    }
    std::string text = fmt::format("{} is {} in {} and {} in {}", what, time_for_people(before), first_,
                                   time_for_people(after), last_);
    if (change->significance == Significance::insignificant) {
      sentences_.push_back(text + "; runs of one configuration differ as much.");
      return;
    }
    const Nanoseconds size = by < 0 ? -by : by;
    text += fmt::format(": {} ", time_for_people(size));
    if (before > 0) text += fmt::format("({}) ", percent_for_people(size, before));
    text += by < 0 ? "less" : "more";
    sentences_.push_back(text + ".");
  }

  const Comparison& comparison_;
  const std::string first_, last_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> change_sentences(const Comparison& comparison) { return Words(comparison).say(); }

}  // namespace mora::compare
