/// The comparison as Markdown for comments in CI: conditions first, then main figures and the largest changes.
#include <algorithm>

#include <fmt/format.h>

#include "report/compare/compare_report.h"

namespace mora::compare {
namespace {

std::string markdown_value(Value value, FigureUnit unit) {
  return unit == FigureUnit::ratio ? fmt::format("{:.4f}", value.ratio) : exact_text(value, unit);
}

/// Figures by configuration, and the last one's change against the first.
class MarkdownTable : public Table {
 public:
  MarkdownTable(const Comparison& comparison, const char* first) : Table(columns(comparison, first)) {}

  void add_row(const FigureRow& row, const std::string& label) {
    const FigureUnit unit = row.figure->unit;
    Cells cells{label};
    const auto known = [&](bool is_known, const auto& text) {
      cells.push_back(Cell::figure(is_known ? text() : std::string("–")));
    };
    for (const Spread& spread : row.values)
      known(spread.present != 0, [&] { return markdown_value(spread.mean(), unit); });
    if (row.values.size() > 1) {
      const auto change = row.change();
      known(change.has_value(), [&] { return markdown_value(change->difference, unit); });
      known(change && change->ratio, [&] { return fmt::format("{:.3f}", *change->ratio); });
      cells.emplace_back(change && change->significance == Significance::insignificant ? "±" : "");
    }
    add(std::move(cells));
  }

 private:
  static std::vector<Column> columns(const Comparison& comparison, const char* first) {
    std::vector<Column> all{words(first)};
    for (const Configuration& configuration : comparison.configurations())
      all.push_back(number(markdown_cell(configuration.label)));
    if (comparison.configurations().size() > 1)
      all.insert(all.end(), {number("difference"), number("ratio"), words("")});
    return all;
  }
};

}  // namespace

std::string compare_markdown(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options) {
  const auto shown_of = [&](std::size_t all) {
    return options.top == 0 ? all : std::min<std::size_t>(all, options.top);
  };
  MarkdownPage page;
  page.heading(2, "Mora: comparison");
  for (const Configuration& configuration : comparison.configurations()) {
    for (const std::size_t r : configuration.runs) {
      const Run& run = comparison.runs()[r];
      page.item(fmt::format("**{}**: {} ({}{}{})", markdown_cell(configuration.label), markdown_code(run.name),
                            counted(run.processes, "process"), run.date.empty() ? "" : ", ", markdown_cell(run.date)));
      for (const std::string& note : run.notes) page.item(markdown_cell(note), 1);
    }
  }
  std::string lines;
  for (const std::string& line : definitions(comparison))
    lines += (lines.empty() ? "" : "\n") + markdown_cell(line) + ".";
  page.paragraph(lines);
  if (!beside.conditions.empty()) page.heading(3, beside.failed() ? "Failed" : "All conditions passed");
  conditions_list(beside, page);
  if (comparison.configurations().size() > 1) page.paragraph(criterion_text(comparison) + ".");
  if (comparison.intervals().roots().empty()) return page.take();

  std::vector<std::string> notes;
  for (const std::size_t i : comparison.intervals().preorder()) {
    for (const IntervalNote& note : notes_of(comparison, i))
      notes.push_back(
          fmt::format("{} ({}): {}", comparison.interval_label(i), fmt::join(note.labels, ", "), note.text));
  }
  if (!notes.empty()) page.heading(3, "Notes");
  for (std::size_t i = 0; i < shown_of(notes.size()); ++i) page.item(markdown_cell(notes[i]));
  if (notes.size() > shown_of(notes.size())) page.item(fmt::format("… {} more", notes.size() - shown_of(notes.size())));

  page.heading(3, "Program");
  MarkdownTable program(comparison, "figure");
  const auto rows = comparison.interval_figures(comparison.intervals().roots().front());
  for (const FigureRow& row : rows) {
    const bool is_variant = row.figure->key.starts_with("additive_") && options.top != 0;
    if (row.figure->kind != FigureKind::metric && !is_variant)
      program.add_row(row, row.figure->name + (row.figure->unit == FigureUnit::seconds ? " (s)" : ""));
  }
  page.table(program);
  if (comparison.configurations().size() < 2) return page.take();

  std::vector<FigureRow> waits;
  for (const FigureRow& row : rows) {
    if (row.figure->is_wait_state && row.figure->unit == FigureUnit::seconds && size_of_change(row) > 0)
      waits.push_back(row);
  }
  std::stable_sort(waits.begin(), waits.end(), is_larger_change);
  page.heading(3, "Wait states that changed (s)");
  MarkdownTable wait_states(comparison, "wait state");
  for (std::size_t i = 0; i < shown_of(waits.size()); ++i) wait_states.add_row(waits[i], waits[i].figure->name);
  waits.empty() ? page.paragraph("None.") : page.table(wait_states);

  const Figure* metric = metric_figure(comparison, options.by);
  if (metric == nullptr) return page.take();
  if (comparison.intervals().nodes().size() > 1) {
    page.heading(3, fmt::format("Where the difference is ({}, sum over all processes)", markdown_cell(metric->name)));
    MarkdownTable shares(comparison, "interval");
    for (const Share& share : shares_of(comparison, *metric, options.top)) {
      std::string label = comparison.interval_label(share.interval);
      if (share.kind == Share::Kind::rest) label = "rest of " + label;
      if (share.kind == Share::Kind::others) label = fmt::format("{} more intervals of {}", share.count, label);
      shares.add_row(share.row, label);
    }
    page.table(shares);
  }
  const auto changes = call_path_changes(comparison, *metric);
  page.heading(3, fmt::format("Call paths (own {})", markdown_cell(metric->name)));
  MarkdownTable call_paths(comparison, "call path");
  for (std::size_t i = 0; i < shown_of(changes.size()); ++i)
    call_paths.add_row(changes[i].row, comparison.call_path_label(changes[i].call_path));
  page.table(call_paths);
  return page.take();
}

}  // namespace mora::compare
