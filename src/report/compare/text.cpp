/// The comparison as text. Lists have figures first and names last, because names may be long. Every list is sorted by
/// the size of the change.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/compare/compare_report.h"
#include "report/intervals/seconds_format.h"
#include "report/pop/pop_text.h"

namespace mora::compare {
namespace {

using report::SecondsFormat;

constexpr std::size_t waits_below_a_call_path = 3;
constexpr std::size_t figures_of_an_interval = 6;
constexpr std::size_t label_at_least = 64;  // narrower, call paths would say nothing

class Renderer {
 public:
  Renderer(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options,
           SecondsFormat& seconds)
      : comparison_(comparison), beside_(beside), options_(options), seconds_(seconds), page_(options) {}

  std::string render() {
    runs();
    conditions_section(beside_, page_);
    program();
    if (comparison_.configurations().size() > 1) {
      shares();
      metrics();
      intervals();
      call_paths();
      inexact();
      missing();
    }
    if (beside_.scaling || beside_.one_process) page_.line();
    const report::PopTextOptions pop{options_};
    std::string text = page_.take();
    if (beside_.scaling) text += report::scaling_text(*beside_.scaling, beside_.scaling_of, pop);
    if (beside_.one_process)
      text += report::one_process_text(*beside_.one_process, *beside_.of_run, *beside_.of_one, pop);
    return text;
  }

 private:
  std::string value_text(Value value, FigureUnit unit) {
    if (unit == FigureUnit::seconds) return seconds_(value.amount);
    if (unit == FigureUnit::ratio) return fmt::format("{:.6f}", value.ratio);
    return std::to_string(value.amount);
  }
  std::string difference_text(Value value, FigureUnit unit) {
    const bool is_positive = unit == FigureUnit::ratio ? value.ratio > 0 : value.amount > 0;
    return (is_positive ? "+" : "") + value_text(value, unit);
  }

  /// Figures by configuration, and behind them what they are of.
  Table table(const std::string& heading) const {
    std::vector<Column> columns;
    for (const Configuration& configuration : comparison_.configurations())
      columns.push_back(number(configuration.label));
    if (comparison_.configurations().size() > 1) columns.insert(columns.end(), {number("difference"), number("ratio")});
    if (comparison_.has_spread()) columns.push_back(number("spread"));
    columns.push_back(options_.top == 0 ? words(heading) : cut_words(heading, label_at_least));
    return Table(std::move(columns));
  }

  void add(Table& table, const FigureRow& row, std::string label) {
    Cells cells;
    const FigureUnit unit = row.figure->unit;
    const char* colour = "";
    for (const Spread& spread : row.values)
      cells.emplace_back(spread.present == 0 ? "-" : value_text(spread.mean(), unit));
    if (row.values.size() > 1) {
      const auto change = row.change();
      cells.emplace_back(change ? difference_text(change->difference, unit) : "-");
      cells.emplace_back(change && change->ratio ? ratio_text(*change->ratio) : "-");
      if (change && change->significance == Significance::insignificant) label.insert(0, "± "), colour = "2";
    }
    if (comparison_.has_spread()) cells.emplace_back(spread_text(row));
    cells.emplace_back(std::move(label));
    table.add(std::move(cells), colour);
  }

  static std::string ratio_text(double ratio) {
    return std::fabs(ratio) >= 1e4 || (ratio != 0 && std::fabs(ratio) < 1e-3) ? fmt::format("x{:.3g}", ratio)
                                                                              : fmt::format("x{:.3f}", ratio);
  }
  /// The wider range of the first and the last configuration.
  std::string spread_text(const FigureRow& row) {
    Value widest;
    bool known = false;
    for (const Spread* spread : {&row.values.front(), &row.values.back()}) {
      if (spread->runs < 2 || spread->present == 0) continue;
      known = true;
      widest.amount = std::max(widest.amount, spread->range().amount);
      widest.ratio = std::max(widest.ratio, spread->range().ratio);
    }
    return known ? value_text(widest, row.figure->unit) : "?";
  }

  void runs() {
    page_.banner("RUNS");
    for (const Configuration& configuration : comparison_.configurations()) {
      for (const std::size_t r : configuration.runs) {
        const Run& run = comparison_.runs()[r];
        page_.line(fmt::format("{}  {}: {}{}", configuration.label, run.name, counted(run.processes, "process"),
                               run.date.empty() ? "" : ", " + run.date));
        for (const std::string& note : run.notes) page_.line(page_.styled("33", "   " + note));
      }
    }
    for (const std::string& line : definitions(comparison_)) page_.paragraph(line);
    page_.paragraph("Labels: those of the DVM analyser (docs/glossary.md) and of the POP metrics.");
    if (comparison_.configurations().size() > 1)
      page_.paragraph("Differences: last minus first; " + criterion_text(comparison_) + ".");
  }

  /// Figures of an interval; of additive times also per process, where the numbers of processes differ.
  void add_figures(Table& table, std::size_t interval, const std::vector<FigureRow>& rows, std::size_t indent = 0) {
    for (const FigureRow& row : rows) {
      const std::string label = std::string(indent, ' ') + row.figure->name;
      add(table, row, label);
      const bool per_process = row.figure->kind == FigureKind::characteristic && row.figure->is_additive &&
                               row.figure->unit == FigureUnit::seconds && !comparison_.has_equal_processes();
      if (per_process) add(table, comparison_.mean_of_a_process(interval, *row.figure), label + ", mean of a process");
    }
  }

  void program() {
    if (comparison_.intervals().roots().empty()) return;
    const std::size_t root = comparison_.intervals().roots().front();
    page_.banner("PROGRAM");
    std::vector<FigureRow> rows;
    for (FigureRow& row : comparison_.interval_figures(root)) {
      const bool is_variant = row.figure->key.starts_with("additive_") && options_.top != 0;
      if (row.figure->kind != FigureKind::metric && !is_variant) rows.push_back(std::move(row));
    }
    Table figures = table("");
    add_figures(figures, root, rows);
    page_.table(figures);
    notes(root);
  }

  void notes(std::size_t interval) {
    for (const IntervalNote& note : notes_of(comparison_, interval))
      page_.paragraph(fmt::format("Note ({}): {}", fmt::join(note.labels, ", "), note.text), 2);
  }

  void shares() {
    const Figure* metric = metric_figure(comparison_, options_.by);
    if (metric == nullptr || comparison_.intervals().nodes().size() < 2) return;
    page_.banner(fmt::format("WHERE THE DIFFERENCE IS ({}, sum over all processes)", metric->name));
    Table intervals = table("interval");
    for (const Share& share : shares_of(comparison_, *metric, options_.top)) {
      const std::string indent(2 * std::min<std::size_t>(share.depth, 20), ' ');
      std::string label;
      switch (share.kind) {
        case Share::Kind::interval:
          label = comparison_.interval_label(share.interval);
          break;
        case Share::Kind::others:
          label = fmt::format("{} with smaller changes", counted(share.count, "more interval"));
          break;
        case Share::Kind::rest:
          label = "rest: outside these intervals";
          break;
      }
      add(intervals, share.row, indent + label);
    }
    page_.table(intervals);
  }

  void metrics() {
    if (comparison_.intervals().roots().empty()) return;
    std::vector<FigureRow> rows;
    for (FigureRow& row : comparison_.interval_figures(comparison_.intervals().roots().front())) {
      if (row.figure->kind == FigureKind::metric && size_of_change(row) > 0) rows.push_back(std::move(row));
    }
    const std::pair<const char*, bool> kinds[] = {{"WAIT STATES THAT CHANGED", true},
                                                  {"OTHER METRICS THAT CHANGED", false}};
    for (const auto& [title, wait_states] : kinds) {
      std::vector<FigureRow> chosen;
      for (const FigureRow& row : rows) {
        if (row.figure->is_wait_state == wait_states) chosen.push_back(row);
      }
      std::stable_sort(chosen.begin(), chosen.end(), [](const FigureRow& a, const FigureRow& b) {
        if (a.figure->unit != b.figure->unit) return a.figure->unit < b.figure->unit;
        return is_larger_change(a, b);
      });
      page_.banner(title);
      if (chosen.empty()) {
        page_.line("none");
        continue;
      }
      Table metrics = table("metric");
      page_.each(chosen, [&](const FigureRow& row) {
        const Figure& figure = *row.figure;
        const std::string unit = figure.unit == FigureUnit::seconds ? "" : fmt::format(" ({})", unit_name(figure.unit));
        add(metrics, row, figure.name + unit);
      });
      page_.table(metrics);
      page_.truncation(chosen.size(), "metrics");
    }
  }

  void intervals() {
    const auto& nodes = comparison_.intervals().nodes();
    if (nodes.size() < 2) return;
    const Figure* time = metric_figure(comparison_, options_.by);
    if (time == nullptr) return;
    std::vector<CallPathChange> order;  // of intervals
    for (const std::size_t i : comparison_.intervals().preorder()) {
      if (nodes[i].node.parent != none) order.push_back({i, comparison_.interval_figure(i, *time)});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const CallPathChange& a, const CallPathChange& b) { return is_larger_change(a.row, b.row); });
    page_.banner("INTERVALS (largest change first)");
    for (std::size_t i = 0; i < page_.shown(order.size()); ++i) {
      std::vector<FigureRow> rows;
      for (FigureRow& row : comparison_.interval_figures(order[i].call_path)) {
        const std::string& key = row.figure->key;
        const bool is_repeated = options_.top != 0 && (key == "useful_time" || key == "first_execution");
        const bool is_shown = !is_repeated && (row.figure->kind != FigureKind::metric || row.figure->is_wait_state);
        if (is_shown && (options_.top == 0 || size_of_change(row) > 0)) rows.push_back(std::move(row));
      }
      if (options_.top != 0) {
        std::stable_sort(rows.begin(), rows.end(), [](const FigureRow& a, const FigureRow& b) {
          const bool first_a = a.figure->key == "efficiency", first_b = b.figure->key == "efficiency";
          if (first_a != first_b) return first_a;
          const bool ratio_a = a.figure->unit != FigureUnit::seconds, ratio_b = b.figure->unit != FigureUnit::seconds;
          return ratio_a != ratio_b ? ratio_b : is_larger_change(a, b);
        });
        if (rows.size() > figures_of_an_interval) rows.resize(figures_of_an_interval);
      }
      const std::string label = comparison_.interval_label(order[i].call_path);
      if (rows.empty()) {
        page_.line(page_.styled("1", label + ": no figure changed"));
        notes(order[i].call_path);
        continue;
      }
      Table figures = table(label);
      add_figures(figures, order[i].call_path, rows, 2);
      page_.table(figures, {.heading_style = "1"});
      notes(order[i].call_path);
    }
    page_.truncation(order.size(), "intervals");
  }

  void call_paths() {
    const Figure* time = metric_figure(comparison_, options_.by);
    if (time == nullptr) return;
    const auto changes = call_path_changes(comparison_, *time);
    page_.banner(fmt::format("CALL PATHS (own {}, largest change first)", time->name));
    std::vector<const Figure*> waits;
    for (const Figure& figure : comparison_.catalogue().all()) {
      if (figure.is_wait_state && figure.unit == FigureUnit::seconds) waits.push_back(&figure);
    }
    Table paths = table("call path");
    page_.each(changes, [&](const CallPathChange& change) {
      add(paths, change.row, comparison_.call_path_label(change.call_path, options_.top == 0));
      std::vector<FigureRow> rows;
      for (const Figure* wait : waits) {
        FigureRow row = comparison_.call_path_figure(change.call_path, *wait);
        if (size_of_change(row) > 0) rows.push_back(std::move(row));
      }
      std::stable_sort(rows.begin(), rows.end(), is_larger_change);
      for (std::size_t k = 0; k < std::min(rows.size(), waits_below_a_call_path); ++k)
        add(paths, rows[k], "    of it: " + rows[k].figure->name);
    });
    page_.table(paths);
    page_.truncation(changes.size(), "call paths");
  }

  /// What was matched by what is around or below it.
  void inexact() {
    std::vector<std::string> lines;
    const auto add = [&](const UnitedTree& tree, const char* what, const auto& label) {
      for (const std::size_t i : tree.preorder()) {
        const UnitedNode& node = tree.nodes()[i];
        const bool is_compute = node.node.kind == cube::CallPathKind::compute;  // moves with its calls
        if (!node.is_exact() && !is_compute)
          lines.push_back(fmt::format("{}  {}: {}", what, to_string(Comparison::worst_match(node)), label(i)));
      }
    };
    add(comparison_.intervals(), "interval ", [&](std::size_t i) { return comparison_.interval_label(i); });
    add(comparison_.call_paths(), "call path", [&](std::size_t i) { return comparison_.call_path_label(i); });
    if (lines.empty()) return;
    page_.banner("MATCHED, BUT NOT EXACTLY (~)");
    page_.each(lines, [&](const std::string& line) { page_.line(line); });
    page_.truncation(lines.size(), "places");
  }

  void missing() {
    std::vector<std::string> lines;
    const auto owners = [&](const UnitedNode& node) {
      return fmt::format("{}", fmt::join(comparison_.owners(node), ", "));
    };
    for (const std::size_t i : unmatched(comparison_, comparison_.intervals()))
      lines.push_back(fmt::format("interval   only in {}: {}", owners(comparison_.intervals().nodes()[i]),
                                  comparison_.interval_label(i)));
    for (const std::size_t i : unmatched(comparison_, comparison_.call_paths()))
      lines.push_back(fmt::format("call path  only in {}: {}", owners(comparison_.call_paths().nodes()[i]),
                                  comparison_.call_path_label(i)));
    page_.banner("NOT IN ALL (counted as zero where it is missing)");
    if (lines.empty()) page_.line("everything was matched");
    page_.each(lines, [&](const std::string& line) { page_.line(line); });
    page_.truncation(lines.size(), "places");
  }

  const Comparison& comparison_;
  const Beside& beside_;
  const CompareTextOptions& options_;
  SecondsFormat& seconds_;
  TextPage page_;
};

}  // namespace

std::string compare_text(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options) {
  return report::with_enough_digits(
      [&](SecondsFormat& seconds) { return Renderer(comparison, beside, options, seconds).render(); });
}

}  // namespace mora::compare
