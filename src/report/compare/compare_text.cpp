/// The comparison as text. Lists have figures first and names last, because names may be long. Every list is sorted by
/// the size of the change.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/compare/compare_report.h"
#include "report/figures.h"
#include "report/intervals/seconds_format.h"
#include "report/pop/pop_text.h"
#include "report/text_page.h"

namespace mora::compare {
namespace {

using report::SecondsFormat;
using report::TextPage;

constexpr std::size_t waits_below_a_call_path = 3;
constexpr std::size_t figures_of_an_interval = 6;
constexpr std::size_t label_at_least = 64;  // narrower, call paths would say nothing

std::string plural(std::size_t count, const char* word) {
  if (count == 1) return fmt::format("1 {}", word);
  return fmt::format("{} {}{}", count, word, std::string_view(word).ends_with("s") ? "es" : "s");
}

class Renderer {
 public:
  Renderer(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options,
           SecondsFormat::Unit unit)
      : comparison_(comparison),
        beside_(beside),
        options_(options),
        seconds_(unit),
        page_(options.width, options.top, options.colour) {}

  std::string render() {
    runs();
    conditions();
    program();
    if (comparison_.configurations().size() > 1) {
      shares();
      metrics();
      intervals();
      call_paths();
      inexact();
      missing();
    }
    if (beside_.scaling || beside_.one_process) page_.line("");
    const report::PopTextOptions pop{options_.width, options_.colour, true};
    std::string text = page_.take();
    if (beside_.scaling) text += report::scaling_text(*beside_.scaling, beside_.scaling_of, pop);
    if (beside_.one_process)
      text += report::one_process_text(*beside_.one_process, *beside_.of_run, *beside_.of_one, pop);
    return text;
  }
  bool lost_digits() const { return seconds_.lost_digits(); }

 private:
  struct Line {
    std::vector<std::string> cells;  ///< right-aligned
    std::string label;
    const char* colour = "";
  };

  std::string value_text(Value value, FigureUnit unit) {
    if (unit == FigureUnit::seconds) return seconds_(value.amount);
    if (unit == FigureUnit::ratio) return fmt::format("{:.6f}", value.ratio);
    return std::to_string(value.amount);
  }
  std::string difference_text(Value value, FigureUnit unit) {
    const bool is_positive = unit == FigureUnit::ratio ? value.ratio > 0 : value.amount > 0;
    return (is_positive ? "+" : "") + value_text(value, unit);
  }

  Line line_of(const FigureRow& row, const std::string& label) {
    Line line;
    const FigureUnit unit = row.figure->unit;
    for (const Spread& spread : row.values)
      line.cells.push_back(spread.present == 0 ? "-" : value_text(spread.mean(), unit));
    const bool several = row.values.size() > 1;
    if (several) {
      const auto change = row.change();
      line.cells.push_back(change ? difference_text(change->difference, unit) : "-");
      line.cells.push_back(change && change->ratio ? ratio_text(*change->ratio) : "-");
      if (change && change->significance == Significance::insignificant) line.label = "± ", line.colour = "2";
    }
    if (comparison_.has_spread()) line.cells.push_back(spread_text(row));
    line.label += label;
    return line;
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

  Line heading(const std::string& label) const {
    Line line;
    for (const Configuration& configuration : comparison_.configurations()) line.cells.push_back(configuration.label);
    if (comparison_.configurations().size() > 1) line.cells.insert(line.cells.end(), {"difference", "ratio"});
    if (comparison_.has_spread()) line.cells.push_back("spread");
    line.label = label;
    return line;
  }

  void print(const std::vector<Line>& lines) {
    std::vector<std::size_t> widths;
    for (const Line& line : lines) {
      widths.resize(std::max(widths.size(), line.cells.size()));
      for (std::size_t i = 0; i < line.cells.size(); ++i)
        widths[i] = std::max(widths[i], report::display_width(line.cells[i]));
    }
    for (const Line& line : lines) {
      std::string text;
      for (std::size_t i = 0; i < line.cells.size(); ++i)
        text += std::string(widths[i] + (i > 0 ? 2 : 0) - report::display_width(line.cells[i]), ' ') + line.cells[i];
      for (std::size_t i = line.cells.size(); i < widths.size(); ++i)
        text += std::string(widths[i] + (i > 0 ? 2 : 0), ' ');
      const std::size_t used = report::display_width(text) + 2;
      const std::size_t space = std::max<std::size_t>(label_at_least, page_.width() > used ? page_.width() - used : 0);
      text += "  " + (options_.top == 0 ? line.label : report::cut_middle(line.label, space));
      text.erase(text.find_last_not_of(' ') + 1);
      page_.line(*line.colour ? page_.styled(line.colour, text) : text);
    }
  }

  void paragraph(const std::string& text) { page_.line(report::wrapped(text, page_.width(), 0)); }

  void runs() {
    page_.banner("RUNS");
    for (const Configuration& configuration : comparison_.configurations()) {
      for (const std::size_t r : configuration.runs) {
        const Run& run = comparison_.runs()[r];
        page_.line(fmt::format("{}  {}: {}{}", configuration.label, run.name, plural(run.processes, "process"),
                               run.date.empty() ? "" : ", " + run.date));
        for (const std::string& note : run.notes) page_.line(page_.styled("33", "   " + note));
      }
    }
    for (const std::string& line : definitions(comparison_)) paragraph(line);
    if (comparison_.configurations().size() > 1)
      paragraph("Differences: last minus first; " + criterion_text(comparison_) + ".");
  }

  void conditions() {
    if (beside_.conditions.empty()) return;
    page_.banner("CONDITIONS (--fail-if)");
    for (const CheckedCondition& condition : beside_.conditions) {
      page_.line(page_.styled(condition.verdict.holds ? "31" : "32",
                              (condition.verdict.holds ? "FAILED  " : "passed  ") + condition.text));
      for (const std::string& reason : condition.verdict.reasons) page_.line("        " + reason);
    }
  }

  /// Figures of an interval; of additive times also per process, where the numbers of processes differ.
  std::vector<Line> figure_lines(std::size_t interval, const std::vector<FigureRow>& rows, std::size_t indent = 0) {
    std::vector<Line> lines;
    for (const FigureRow& row : rows) {
      const std::string label = std::string(indent, ' ') + row.figure->name;
      lines.push_back(line_of(row, label));
      const bool per_process = row.figure->kind == FigureKind::characteristic && row.figure->is_additive &&
                               row.figure->unit == FigureUnit::seconds && !comparison_.has_equal_processes();
      if (!per_process) continue;
      lines.push_back(line_of(comparison_.mean_of_a_process(interval, *row.figure), label + ", mean of a process"));
    }
    return lines;
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
    std::vector<Line> lines{heading("")};
    for (Line& line : figure_lines(root, rows)) lines.push_back(std::move(line));
    print(lines);
    notes(root);
  }

  void notes(std::size_t interval) {
    for (const IntervalNote& note : notes_of(comparison_, interval))
      page_.line(
          report::wrapped(fmt::format("Note ({}): {}", fmt::join(note.labels, ", "), note.text), page_.width(), 2));
  }

  void shares() {
    const Figure* metric = metric_figure(comparison_, options_.by);
    if (metric == nullptr || comparison_.intervals().nodes().size() < 2) return;
    page_.banner(fmt::format("WHERE THE DIFFERENCE IS ({}, sum over all processes)", metric->name));
    std::vector<Line> lines{heading("interval")};
    for (const Share& share : shares_of(comparison_, *metric, options_.top)) {
      const std::string indent(2 * std::min<std::size_t>(share.depth, 20), ' ');
      std::string label;
      switch (share.kind) {
        case Share::Kind::interval:
          label = comparison_.interval_label(share.interval);
          break;
        case Share::Kind::others:
          label = fmt::format("{} with smaller changes", plural(share.count, "more interval"));
          break;
        case Share::Kind::rest:
          label = "rest: outside these intervals";
          break;
      }
      lines.push_back(line_of(share.row, indent + label));
    }
    print(lines);
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
      std::vector<Line> lines{heading("metric")};
      for (std::size_t i = 0; i < page_.shown(chosen.size()); ++i) {
        const Figure& figure = *chosen[i].figure;
        const std::string unit = figure.unit == FigureUnit::seconds ? "" : fmt::format(" ({})", unit_name(figure.unit));
        lines.push_back(line_of(chosen[i], figure.name + unit));
      }
      print(lines);
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
      std::vector<Line> lines{heading(label)};
      lines.back().colour = "1";
      for (Line& line : figure_lines(order[i].call_path, rows, 2)) lines.push_back(std::move(line));
      print(lines);
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
    std::vector<Line> lines{heading("call path")};
    for (std::size_t i = 0; i < page_.shown(changes.size()); ++i) {
      lines.push_back(line_of(changes[i].row, comparison_.call_path_label(changes[i].call_path, options_.top == 0)));
      std::vector<FigureRow> rows;
      for (const Figure* wait : waits) {
        FigureRow row = comparison_.call_path_figure(changes[i].call_path, *wait);
        if (size_of_change(row) > 0) rows.push_back(std::move(row));
      }
      std::stable_sort(rows.begin(), rows.end(), is_larger_change);
      for (std::size_t k = 0; k < std::min(rows.size(), waits_below_a_call_path); ++k)
        lines.push_back(line_of(rows[k], "    of it: " + rows[k].figure->name));
    }
    print(lines);
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
    for (std::size_t i = 0; i < page_.shown(lines.size()); ++i) page_.line(lines[i]);
    page_.truncation(lines.size(), "places");
  }

  void missing() {
    std::vector<std::string> lines;
    const auto owners = [&](const UnitedNode& node) {
      std::vector<std::string> labels;
      for (std::size_t c = 0; c < comparison_.configurations().size(); ++c) {
        if (comparison_.has(node, c)) labels.push_back(comparison_.configurations()[c].label);
      }
      return fmt::format("{}", fmt::join(labels, ", "));
    };
    for (const std::size_t i : unmatched(comparison_, comparison_.intervals()))
      lines.push_back(fmt::format("interval   only in {}: {}", owners(comparison_.intervals().nodes()[i]),
                                  comparison_.interval_label(i)));
    for (const std::size_t i : unmatched(comparison_, comparison_.call_paths()))
      lines.push_back(fmt::format("call path  only in {}: {}", owners(comparison_.call_paths().nodes()[i]),
                                  comparison_.call_path_label(i)));
    page_.banner("NOT IN ALL (counted as zero where it is missing)");
    if (lines.empty()) page_.line("everything was matched");
    for (std::size_t i = 0; i < page_.shown(lines.size()); ++i) page_.line(lines[i]);
    page_.truncation(lines.size(), "places");
  }

  const Comparison& comparison_;
  const Beside& beside_;
  const CompareTextOptions& options_;
  SecondsFormat seconds_;
  TextPage page_;
};

}  // namespace

std::string compare_text(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options) {
  Renderer microseconds(comparison, beside, options, SecondsFormat::Unit::microseconds);
  std::string text = microseconds.render();
  if (!microseconds.lost_digits()) return text;
  return Renderer(comparison, beside, options, SecondsFormat::Unit::nanoseconds).render();
}

}  // namespace mora::compare
