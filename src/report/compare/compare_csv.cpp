/// The comparison as CSV (docs/formats/compare.md): one row per figure, configuration and place.
#include <fmt/format.h>

#include "base/cell_text.h"
#include "report/compare/compare_report.h"

namespace mora::compare {
namespace {

/// A row that has a text where the others have a figure.
std::string text_row(const char* what, const std::string& name, const char* match, const std::string& text,
                     const std::string& configuration) {
  return fmt::format("{},{},{},,{},,{},,,,,,,\n", what, csv_cell(name), match, csv_cell(text), csv_cell(configuration));
}

void add_rows(std::string& out, const Comparison& comparison, const char* kind, const std::string& place, Match match,
              const FigureRow& row) {
  const FigureUnit unit = row.figure->unit;
  for (std::size_t c = 0; c < row.values.size(); ++c) {
    const Spread& spread = row.values[c];
    const auto change = c == 0 ? std::nullopt : row.change(c);
    const auto text = [&](Value value) { return spread.present == 0 ? "" : exact_text(value, unit); };
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", kind, csv_cell(place), to_string(match),
                       to_string(row.figure->kind), csv_cell(row.figure->key), unit_name(unit),
                       csv_cell(comparison.configurations()[c].label), text(spread.mean()), text(spread.least),
                       text(spread.most), spread.present, change ? exact_text(change->difference, unit) : "",
                       change && change->ratio ? fmt::format("{:.9g}", *change->ratio) : "",
                       change ? to_string(change->significance) : "");
  }
}

}  // namespace

std::string compare_csv(const Comparison& comparison) {
  std::string out = "place,name,match,kind,figure,unit,configuration,mean,min,max,runs,difference,ratio,significance\n";
  for (const auto& [rule, choice] : rules_of(comparison)) out += text_row("rule", rule, "", choice, "");
  for (const report::Exclusion& exclusion : comparison.runs().front().left_out)
    out += text_row("left_out", exclusion.text(), "", "", "");
  for (const std::size_t i : comparison.intervals().preorder()) {
    const UnitedNode& node = comparison.intervals().nodes()[i];
    const std::string label = comparison.interval_label(i);
    const Match match = Comparison::worst_match(node);
    const auto rows = comparison.interval_figures(i);
    for (const FigureRow& row : rows) add_rows(out, comparison, "interval", label, match, row);
    for (const IntervalNote& note : notes_of(comparison, i)) {
      for (const std::string& configuration : note.labels)
        out += text_row("note", label, to_string(match), note.text, configuration);
    }
    for (const FigureRow& row : rows) {
      if (node.children.empty() || row.figure->kind != FigureKind::metric) continue;
      add_rows(out, comparison, "rest", label, match, comparison.rest_of(i, *row.figure));
    }
  }
  for (const std::size_t i : comparison.call_paths().preorder()) {
    for (const Figure& figure : comparison.catalogue().all()) {
      if (figure.kind != FigureKind::metric) continue;
      const FigureRow row = comparison.call_path_figure(i, figure);
      if (row.is_zero()) continue;
      add_rows(out, comparison, "call_path", comparison.call_path_label(i),
               Comparison::worst_match(comparison.call_paths().nodes()[i]), row);
    }
  }
  return out;
}

}  // namespace mora::compare
