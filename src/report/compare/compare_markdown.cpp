/// The comparison as Markdown for comments in CI: conditions first, then main figures and the largest changes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/cell_text.h"
#include "report/compare/compare_report.h"
#include "report/figures.h"

namespace mora::compare {
namespace {

/// Paths and conditions stay as they are.
std::string code(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  std::replace(text.begin(), text.end(), '\n', ' ');
  return "`" + text + "`";
}

std::string shown(Value value, FigureUnit unit) {
  if (unit == FigureUnit::ratio) return fmt::format("{:.4f}", value.ratio);
  return exact_text(value, unit);
}

std::string table_head(const Comparison& comparison, const char* first) {
  std::string head = fmt::format("| {} |", first), rule = "|---|";
  for (const Configuration& configuration : comparison.configurations()) {
    head += " " + markdown_cell(configuration.label) + " |";
    rule += "---:|";
  }
  if (comparison.configurations().size() > 1) {
    head += " difference | ratio | |";
    rule += "---:|---:|---|";
  }
  return head + "\n" + rule + "\n";
}

std::string table_row(const FigureRow& row, const std::string& label) {
  const FigureUnit unit = row.figure->unit;
  std::string text = "| " + markdown_cell(label) + " |";
  for (const Spread& spread : row.values)
    text += spread.present == 0 ? " – |" : fmt::format(" {} |", shown(spread.mean(), unit));
  if (row.values.size() < 2) return text + "\n";
  const auto change = row.change();
  text += change ? fmt::format(" {} |", shown(change->difference, unit)) : " – |";
  text += change && change->ratio ? fmt::format(" {:.3f} |", *change->ratio) : " – |";
  text += change && change->significance == Significance::insignificant ? " ± |" : " |";
  return text + "\n";
}

}  // namespace

std::string compare_markdown(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options) {
  const auto shown_of = [&](std::size_t all) {
    return options.top == 0 ? all : std::min<std::size_t>(all, options.top);
  };
  std::string out = "## Mora: comparison\n\n";
  for (const Configuration& configuration : comparison.configurations()) {
    for (const std::size_t r : configuration.runs) {
      const Run& run = comparison.runs()[r];
      out += fmt::format("* **{}**: {} ({} process{}{}{})\n", markdown_cell(configuration.label), code(run.name),
                         run.processes, run.processes == 1 ? "" : "es", run.date.empty() ? "" : ", ",
                         markdown_cell(run.date));
      for (const std::string& note : run.notes) out += "  * " + markdown_cell(note) + "\n";
    }
  }
  out += "\n";
  for (const std::string& line : definitions(comparison)) out += markdown_cell(line) + ".\n";
  if (!beside.conditions.empty()) {
    out += fmt::format("\n### {}\n\n", beside.failed() ? "Failed" : "All conditions passed");
    for (const CheckedCondition& condition : beside.conditions) {
      out += fmt::format("* {} {}\n", condition.verdict.holds ? "❌" : "✅", code(condition.text));
      for (const std::string& reason : condition.verdict.reasons) out += "  * " + markdown_cell(reason) + "\n";
    }
  }
  if (comparison.configurations().size() > 1) out += "\n" + criterion_text(comparison) + ".\n";
  if (comparison.intervals().roots().empty()) return out;

  std::vector<std::string> notes;
  for (const std::size_t i : comparison.intervals().preorder()) {
    for (const IntervalNote& note : notes_of(comparison, i))
      notes.push_back(
          fmt::format("{} ({}): {}", comparison.interval_label(i), fmt::join(note.labels, ", "), note.text));
  }
  if (!notes.empty()) out += "\n### Notes\n\n";
  for (std::size_t i = 0; i < shown_of(notes.size()); ++i) out += "* " + markdown_cell(notes[i]) + "\n";
  if (notes.size() > shown_of(notes.size())) out += fmt::format("* … {} more\n", notes.size() - shown_of(notes.size()));

  const std::size_t root = comparison.intervals().roots().front();
  out += "\n### Program\n\n" + table_head(comparison, "figure");
  const auto rows = comparison.interval_figures(root);
  for (const FigureRow& row : rows) {
    const bool is_variant = row.figure->key.starts_with("additive_") && options.top != 0;
    if (row.figure->kind != FigureKind::metric && !is_variant)
      out += table_row(row, row.figure->name + (row.figure->unit == FigureUnit::seconds ? " (s)" : ""));
  }
  if (comparison.configurations().size() < 2) return out;

  std::vector<FigureRow> waits;
  for (const FigureRow& row : rows) {
    if (row.figure->is_wait_state && row.figure->unit == FigureUnit::seconds && size_of_change(row) > 0)
      waits.push_back(row);
  }
  std::stable_sort(waits.begin(), waits.end(), is_larger_change);
  out += "\n### Wait states that changed (s)\n\n";
  out += waits.empty() ? "None.\n" : table_head(comparison, "wait state");
  for (std::size_t i = 0; i < shown_of(waits.size()); ++i) out += table_row(waits[i], waits[i].figure->name);

  const Figure* metric = metric_figure(comparison, options.by);
  if (metric == nullptr) return out;
  if (comparison.intervals().nodes().size() > 1) {
    out += fmt::format("\n### Where the difference is ({}, sum over all processes)\n\n", markdown_cell(metric->name));
    out += table_head(comparison, "interval");
    for (const Share& share : shares_of(comparison, *metric, options.top)) {
      std::string label = comparison.interval_label(share.interval);
      if (share.kind == Share::Kind::rest) label = "rest of " + label;
      if (share.kind == Share::Kind::others) label = fmt::format("{} more intervals of {}", share.count, label);
      out += table_row(share.row, label);
    }
  }
  const auto changes = call_path_changes(comparison, *metric);
  out +=
      fmt::format("\n### Call paths (own {})\n\n", markdown_cell(metric->name)) + table_head(comparison, "call path");
  for (std::size_t i = 0; i < shown_of(changes.size()); ++i)
    out += table_row(changes[i].row, comparison.call_path_label(changes[i].call_path));
  return out;
}

}  // namespace mora::compare
