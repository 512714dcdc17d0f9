/// Predicted and measured one-process time by interval, with the explanations that the numbers allow (DVM analyser,
/// 4.3).
#include <algorithm>

#include <fmt/format.h>

#include "base/text/trimmed.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/seconds_format.h"
#include "report/pop/efficiency_figures.h"
#include "report/pop/pop_text.h"

namespace mora::report {

namespace {

using analysis::IntervalTable;

class OneProcessPage {
 public:
  OneProcessPage(const OneProcessComparison& comparison, const PopTextOptions& options, SecondsFormat& seconds)
      : comparison_(comparison), options_(options), seconds_(seconds), page_(options) {}

  std::string render(const IntervalTable& run, const IntervalTable& one) {
    page_.banner("Predicted and measured one-process time");
    if (!comparison_.why_not.empty()) {
      say("none: " + comparison_.why_not);
      return page_.take();
    }
    for (const OneProcessRow& row : comparison_.rows) interval(row, interval_words(run, row.interval));
    unmatched(run, comparison_.unmatched, true, "not in the one-process run: ");
    unmatched(one, comparison_.unmatched_measured, false, "only in the one-process run: ");
    if (options_.explain) caveats(run);
    return page_.take();
  }

 private:
  void say(const std::string& text) { page_.paragraph(text, 2); }

  void finding_line(const std::string& text) { page_.line("  " + wrapped(text, page_.width() - 2, 4)); }

  void interval(const OneProcessRow& row, const std::string& name) {
    page_.line(page_.styled("1", name));
    Table table({words("", 12), {"", 18, 0}, words("")});
    const auto line = [&](const char* of, std::int64_t amount, const std::string& more) {
      table.add({of, seconds_(amount) + " s", more});
    };
    line("Predicted", row.predicted,
         row.counted_once == 0 ? ""
                               : fmt::format("{} s of repeated computation left out: sequential parts count once",
                                             seconds_(row.counted_once)));
    line("Measured", row.measured, mpi_words(row));
    const bool has_nested = row.own_difference != row.difference;
    line("Difference", row.difference,
         fmt::format("{}{}", row.predicted == 0 ? "" : fmt::format("measured / predicted = {:.4f}", row.ratio),
                     has_nested ? fmt::format("{}{} s without nested intervals", row.predicted == 0 ? "" : ", ",
                                              seconds_(row.own_difference))
                                : ""));
    table.add({"Efficiency", efficiency(row.efficiency) + "  ",
               fmt::format("-> {}  with the measured time", efficiency(row.efficiency_measured))});
    page_.table(table, {.indent = 2, .has_heading = false});
    if (row.is_nested) finding_line("the difference is in nested intervals");
    for (const OneProcessFinding& finding : row.findings) {
      if (row.is_nested && !finding.is_certain) continue;  // the nested intervals say it, where it is
      finding_line(fmt::format("{} {}", finding.is_certain ? "-" : "?", finding.text));
    }
  }

  std::string efficiency(double value) const {
    return std::string(trimmed(efficiency_cell(value, options_.colour).shown()));
  }

  std::string mpi_words(const OneProcessRow& row) {
    if (row.measured_mpi == 0) return "";
    return fmt::format("{} s {} in MPI calls", seconds_(row.measured_mpi), row.counted_mpi > 0 ? "of it" : "more");
  }

  /// Those that no finding names.
  void unmatched(const IntervalTable& table, const std::vector<std::size_t>& intervals, bool is_parallel,
                 const std::string& what) {
    for (const std::size_t i : intervals) {
      if (!is_named(i, is_parallel)) say(what + interval_words(table, i));
    }
  }
  bool is_named(std::size_t interval, bool is_parallel) const {
    for (const OneProcessRow& row : comparison_.rows) {
      for (const OneProcessFinding& finding : row.findings) {
        if (finding.missing == interval && (finding.amount < 0) == is_parallel) return true;
      }
    }
    return false;
  }

  void caveats(const IntervalTable& run) {
    page_.line();
    for (const auto& [rule, value] : analysis::names(run.rules)) {
      if (rule == "productive") say("predicted = productive time, by the definition productive=" + value);
    }
    say(fmt::format("- follows from the numbers; ? is likely. Differences up to {:.1f} % count as agreement",
                    100 * comparison_.tolerance));
    say("efficiency and lost time are computed from the predicted time, which differs between configurations. The "
        "parallel program on one process is not the sequential program: access to distributed data, the compiler's "
        "optimisation and support functions differ. If there is a sequential program, measure it too");
  }

  const OneProcessComparison& comparison_;
  const PopTextOptions& options_;
  SecondsFormat& seconds_;
  TextPage page_;
};

}  // namespace

std::string one_process_text(const OneProcessComparison& comparison, const IntervalTable& run, const IntervalTable& one,
                             const PopTextOptions& options) {
  return with_enough_digits(
      [&](SecondsFormat& seconds) { return OneProcessPage(comparison, options, seconds).render(run, one); });
}

}  // namespace mora::report
