/// The comparison as CSV (docs/formats/compare.md): one row per figure, configuration and place.
#include <fmt/format.h>

#include "report/compare/compare_report.h"

namespace mora::compare {
namespace {

const std::vector<Column>& csv_columns() {
  static const std::vector<Column> columns = {
      words("place"), words("name"),          words("match"),  words("kind"),        words("figure"),
      words("unit"),  words("configuration"), number("mean"),  number("min"),        number("max"),
      number("runs"), number("difference"),   number("ratio"), words("significance")};
  return columns;
}

/// A row that has a text where the others have a figure.
std::string text_row(const char* what, const std::string& name, const char* match, const std::string& text,
                     const std::string& configuration) {
  Cells cells{what, name, match, {}, text, {}, configuration};
  cells.resize(csv_columns().size());
  return csv_line(cells);
}

std::string figure_rows(const Comparison& comparison, const char* kind, const std::string& place, Match match,
                        const FigureRow& row) {
  std::string out;
  const FigureUnit unit = row.figure->unit;
  for (std::size_t c = 0; c < row.values.size(); ++c) {
    const Spread& spread = row.values[c];
    const auto change = c == 0 ? std::nullopt : row.change(c);
    const auto text = [&](Value value) { return spread.present == 0 ? "" : exact_text(value, unit); };
    out += csv_line({kind, place, to_string(match), to_string(row.figure->kind), row.figure->key, unit_name(unit),
                     comparison.configurations()[c].label, text(spread.mean()), text(spread.least), text(spread.most),
                     spread.present, change ? exact_text(change->difference, unit) : "",
                     change && change->ratio ? exact_text({0, *change->ratio}, FigureUnit::ratio) : "",
                     change ? to_string(change->significance) : ""});
  }
  return out;
}

}  // namespace

std::string compare_csv(const Comparison& comparison) {
  std::string out = csv_head(csv_columns());
  for (const auto& [rule, choice] : rules_of(comparison)) out += text_row("rule", rule, "", choice, "");
  for (const report::Exclusion& exclusion : comparison.runs().front().left_out)
    out += text_row("left_out", exclusion.text(), "", "", "");
  for (const std::size_t i : comparison.intervals().preorder()) {
    const UnitedNode& node = comparison.intervals().nodes()[i];
    const std::string label = comparison.interval_label(i);
    const Match match = Comparison::worst_match(node);
    const auto rows = comparison.interval_figures(i);
    for (const FigureRow& row : rows) out += figure_rows(comparison, "interval", label, match, row);
    for (const IntervalNote& note : notes_of(comparison, i)) {
      for (const std::string& configuration : note.labels)
        out += text_row("note", label, to_string(match), note.text, configuration);
    }
    for (const FigureRow& row : rows) {
      if (node.children.empty() || row.figure->kind != FigureKind::metric) continue;
      out += figure_rows(comparison, "rest", label, match, comparison.rest_of(i, *row.figure));
    }
  }
  for (const std::size_t i : comparison.call_paths().preorder()) {
    const Match match = Comparison::worst_match(comparison.call_paths().nodes()[i]);
    for (const FigureRow& row : metrics_of_call_path(comparison, i))
      out += figure_rows(comparison, "call_path", comparison.call_path_label(i), match, row);
  }
  return out;
}

}  // namespace mora::compare
