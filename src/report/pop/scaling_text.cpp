/// Scaling tables as text: metrics by run, the fitted curves (Rosas 2014), and what they give for more processes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/pop/efficiency_figures.h"
#include "report/pop/pop_text.h"

namespace mora::report {

namespace {

using analysis::Extrapolated;
using analysis::Extrapolation;
using analysis::FactorFit;
using analysis::ScalingRow;
using analysis::ScalingTable;
using analysis::ScalingUnit;

constexpr std::size_t longest_name = efficiency_width + 2;  ///< of a run

std::string fitted_seconds(double nanoseconds) {
  return std::isfinite(nanoseconds) ? time_for_people(static_cast<Nanoseconds>(std::llround(nanoseconds))) : "-";
}

std::string form_text(const FactorFit& fit) {
  if (fit.bound == analysis::FitBound::constant) return fmt::format("{:.4f}, constant", fit.x0);
  if (fit.form == analysis::ScalingForm::amdahl) {
    return fmt::format("{0:.4f} / ({1:.6f} + {2:.6f} P)", fit.x0, fit.f, 1 - fit.f);
  }
  return fmt::format("{0:.4f} P / ({2:.6f} + {1:.6f} (2 P - 1))", fit.x0, fit.f, 1 - fit.f);
}

class ScalingPage {
 public:
  ScalingPage(const ScalingTable& table, const PopTextOptions& options)
      : table_(table), options_(options), page_(options) {}

  std::string render(const std::string& title) {
    page_.banner(fmt::format("{} scaling: {}", table_.scaling == analysis::Scaling::strong ? "Strong" : "Weak", title));
    if (table_.runs.empty()) {
      page_.line("no runs");
      return page_.take();
    }
    metrics();
    explanations();
    extrapolation();
    return page_.take();
  }

 private:
  /// The run's name without the folders above it.
  static std::string name_of(const analysis::ScalingRun& run) {
    const std::size_t slash = run.label.find_last_of('/');
    return slash == std::string::npos || slash + 1 == run.label.size() ? run.label : run.label.substr(slash + 1);
  }

  void metrics() {
    std::vector<Column> columns{words("", 38)};
    Cells processes{"Processes"};
    for (const analysis::ScalingRun& run : table_.runs) {
      columns.push_back(efficiency_column(cut_middle(name_of(run), longest_name), columns.size() == 1 ? 0 : 2));
      processes.push_back(among_efficiencies(std::to_string(run.pop.processes)));
    }
    Table table(std::move(columns));
    table.add(std::move(processes));
    for (const ScalingRow& row : table_.rows) {
      Cells cells{std::string(std::size_t{2} * row.depth, ' ') + std::string(row.name)};
      for (const std::optional<double>& value : row.values) cells.push_back(cell_of(row.unit, value));
      table.add(std::move(cells));
    }
    page_.table(table);
  }

  Cell cell_of(ScalingUnit unit, const std::optional<double>& value) const {
    if (unit == ScalingUnit::efficiency) return efficiency_cell(value, options_.colour);
    return among_efficiencies(unit == ScalingUnit::ratio ? ratio_cell(value) : value ? fitted_seconds(*value) : "-");
  }

  void say(const std::string& text) { page_.paragraph(text, 2); }

  void explanations() {
    page_.line();
    if (options_.explain) {
      const std::string first = name_of(table_.runs.front());
      say(table_.scaling == analysis::Scaling::strong
              ? fmt::format(
                    "strong: the same problem in all runs; computation scaling = useful computation of {} / of the run",
                    first)
              : fmt::format("weak: the problem grows with the processes; computation scaling = useful computation of "
                            "{}, times the ratio of processes, / of the run",
                            first));
      if (table_.serialisation) {
        say(fmt::format("serialisation and transfer by {}", table_.runs.front().pop.of(*table_.serialisation).name));
      }
      say(fmt::format("{} an efficiency below {:.0f} % needs attention", options_.colour ? "red:" : "!",
                      100 * analysis::attention_threshold));
    }
    for (const std::string& note : table_.notes) say("note: " + note);
  }

  void extrapolation() {
    const Extrapolation& e = table_.extrapolation;
    if (e.processes.empty()) return;
    page_.banner("Extrapolation");
    if (!e.why_not.empty()) {
      say("none: " + e.why_not);
      return;
    }
    page_.table(Table(
        {{"factor", 26, 0, true}, {"fit, P processes", 42, 0, true}, {"residual", 10, 0}, {"leave one out", 14, 0}},
        e.factors, [](const FactorFit& fit) {
          return Cells{fit.name, form_text(fit), efficiency_text(fit.residual), efficiency_text(fit.leave_one_out)};
        }));
    const std::string interval = fmt::format("{:.0f} % interval", 100 * e.confidence);
    for (std::size_t k = 0; k < e.processes.size(); ++k) {
      page_.line();
      const auto at = [&](const std::string& name, const Extrapolated& value, const auto& text) {
        return Cells{name, text(value.value), fmt::format("{} … {}", text(value.lower), text(value.upper))};
      };
      Table table({words(counted(e.processes[k], "process") + (is_far(k) ? " (far)" : ""), 28),
                   {"expected", 12, 0},
                   {interval, 0, 3, true}});
      for (const FactorFit& fit : e.factors) table.add(at("  " + std::string(fit.name), fit.at[k], efficiency_text));
      table.add(at("Parallel efficiency", e.parallel_efficiency[k], efficiency_text));
      table.add(at("Global efficiency", e.global_efficiency[k], efficiency_text));
      table.add(at("Speed-up", e.speed_up[k], ratio_cell));
      table.add(at("Run time", e.run_time[k], fitted_seconds));
      page_.table(table);
    }
    page_.line();
    say("fits by Rosas 2014: x0 / (f + (1 - f) P) or x0 P / ((1 - f) + f (2 P - 1)), whichever predicts a left-out run "
        "better; relative least squares. The interval is for a new run, provided that the form stays valid; of a "
        "product it covers all combinations of its factors");
    if (is_far(e.processes.size() - 1)) {
      say(options_.colour ? page_.styled("33", far_text()) : far_text());
    }
  }

  bool is_far(std::size_t k) const { return table_.extrapolation.factors.front().at[k].is_far; }
  std::string far_text() const {
    return fmt::format(
        "far: more than {} times the processes of the largest run; no measurement shows that the forms are valid there",
        analysis::far_factor);
  }

  const ScalingTable& table_;
  const PopTextOptions& options_;
  TextPage page_;
};

}  // namespace

std::string scaling_text(const ScalingTable& table, const std::string& title, const PopTextOptions& options) {
  return ScalingPage(table, options).render(title);
}

}  // namespace mora::report
