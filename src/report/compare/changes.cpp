/// What all outputs of a comparison share: which differences are listed and in which order, how the difference of a
/// metric is divided among nested intervals and the rest of their parent, and what only some runs have.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/names.h"
#include "base/time.h"
#include "report/compare/compare_report.h"

namespace mora::compare {

bool Beside::failed() const {
  return std::any_of(conditions.begin(), conditions.end(), [](const CheckedCondition& c) { return c.verdict.holds; });
}

const char* unit_name(FigureUnit unit) {
  static constexpr const char* names[] = {"s", "occ", "bytes", "ratio"};
  return name_in(names, unit);
}

std::string exact_text(Value value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return seconds_exact(value.amount);
    case FigureUnit::occurrences:
    case FigureUnit::bytes:
      return std::to_string(value.amount);
    case FigureUnit::ratio:
      return fmt::format("{:.9g}", value.ratio);
  }
  return "";
}

Cell exact_cell(Value value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return Seconds{value.amount};
    case FigureUnit::occurrences:
    case FigureUnit::bytes:
      return value.amount;
    case FigureUnit::ratio:
      return std::stod(exact_text(value, unit));
  }
  return {};
}

Cell mean_cell(const Spread& spread) { return spread.present == 0 ? Cell() : exact_cell(spread.mean(), spread.unit); }

std::string criterion_text(const Comparison& comparison) {
  if (!comparison.has_spread())
    return "each configuration has one run: the run-to-run spread is not known, so it is not known which differences "
           "are more than chance";
  std::string counts;
  bool some_single = false;
  for (const Configuration& configuration : comparison.configurations()) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", configuration.label, configuration.runs.size());
    some_single = some_single || configuration.runs.size() == 1;
  }
  return fmt::format(
      "values are means of the runs ({}); a difference is insignificant (±) if the ranges of the runs overlap or it is "
      "not larger than the wider range{}",
      counts, some_single ? "; the spread of single runs is not known and taken from the others" : "");
}

const Figure* metric_figure(const Comparison& comparison, const std::string& key) {
  for (const Figure& figure : comparison.catalogue().all()) {
    if (figure.kind != FigureKind::metric || figure.key != key) continue;
    for (const Run& run : comparison.runs()) {
      if (run.cube.find_metric(key) != cube::no_id) return &figure;
    }
  }
  return nullptr;
}

double size_of_change(const FigureRow& row) {
  const auto change = row.change();
  if (!change) return 0;
  if (row.figure->unit == FigureUnit::ratio) return std::fabs(change->difference.ratio);
  return std::fabs(static_cast<double>(change->difference.amount));
}

bool is_larger_change(const FigureRow& a, const FigureRow& b) {
  const auto is_chance = [](const FigureRow& row) {
    const auto change = row.change();
    return change && change->significance == Significance::insignificant;
  };
  if (is_chance(a) != is_chance(b)) return is_chance(b);
  if (size_of_change(a) != size_of_change(b)) return size_of_change(a) > size_of_change(b);
  return std::fabs(a.values.back().number()) > std::fabs(b.values.back().number());
}

namespace {

/// Sum of rows of one figure over the same configurations. Ranges are those of sums only for single runs; for several
/// the bounds add.
FigureRow sum_of(const std::vector<FigureRow>& rows) {
  FigureRow sum = rows.front();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < sum.values.size(); ++c) {
      Spread& into = sum.values[c];
      const Spread& from = rows[i].values[c];
      into.present = std::max(into.present, from.present);
      into.sum.amount = held_sum(into.sum.amount, from.sum.amount);
      into.least.amount = held_sum(into.least.amount, from.least.amount);
      into.most.amount = held_sum(into.most.amount, from.most.amount);
    }
  }
  return sum;
}

}  // namespace

std::vector<Share> shares_of(const Comparison& comparison, const Figure& metric, unsigned top) {
  const auto& nodes = comparison.intervals().nodes();
  std::vector<Share> shares, stack;
  const auto& roots = comparison.intervals().roots();
  for (auto root = roots.rbegin(); root != roots.rend(); ++root)
    stack.push_back({Share::Kind::interval, *root, 0, 1, comparison.interval_figure(*root, metric)});
  while (!stack.empty()) {
    const Share share = std::move(stack.back());
    stack.pop_back();
    shares.push_back(share);
    const auto& children = nodes[share.interval].children;
    if (share.kind != Share::Kind::interval || children.empty()) continue;
    std::vector<Share> below;
    for (const std::size_t child : children)
      below.push_back({Share::Kind::interval, child, share.depth + 1, 1, comparison.interval_figure(child, metric)});
    std::stable_sort(below.begin(), below.end(),
                     [](const Share& a, const Share& b) { return is_larger_change(a.row, b.row); });
    if (top != 0 && below.size() > top) {
      std::vector<FigureRow> rows;
      for (std::size_t i = top; i < below.size(); ++i) rows.push_back(below[i].row);
      below.resize(top);
      below.push_back({Share::Kind::others, share.interval, share.depth + 1, rows.size(), sum_of(rows)});
    }
    below.push_back(
        {Share::Kind::rest, share.interval, share.depth + 1, 1, comparison.rest_of(share.interval, metric)});
    stack.insert(stack.end(), std::make_move_iterator(below.rbegin()), std::make_move_iterator(below.rend()));
  }
  return shares;
}

std::vector<CallPathChange> call_path_changes(const Comparison& comparison, const Figure& metric) {
  std::vector<CallPathChange> changes;
  for (const std::size_t i : comparison.call_paths().preorder()) {
    FigureRow row = comparison.call_path_figure(i, metric);
    if (!row.is_zero()) changes.push_back({i, std::move(row)});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CallPathChange& a, const CallPathChange& b) { return is_larger_change(a.row, b.row); });
  return changes;
}

std::vector<std::size_t> unmatched(const Comparison& comparison, const UnitedTree& tree) {
  const auto owners = [&](const UnitedNode& node) {
    std::vector<bool> has;
    for (std::size_t c = 0; c < comparison.configurations().size(); ++c) has.push_back(comparison.has(node, c));
    return has;
  };
  std::vector<std::size_t> found;
  for (const std::size_t i : tree.preorder()) {
    const UnitedNode& node = tree.nodes()[i];
    const std::vector<bool> has = owners(node);
    if (std::all_of(has.begin(), has.end(), [](bool b) { return b; })) continue;
    if (node.node.parent != none && owners(tree.nodes()[node.node.parent]) == has) continue;
    found.push_back(i);
  }
  return found;
}

std::vector<FigureRow> metrics_of_call_path(const Comparison& comparison, std::size_t call_path) {
  std::vector<FigureRow> rows;
  for (const Figure& figure : comparison.catalogue().all()) {
    if (figure.kind != FigureKind::metric) continue;
    FigureRow row = comparison.call_path_figure(call_path, figure);
    if (!row.is_zero()) rows.push_back(std::move(row));
  }
  return rows;
}

void conditions_section(const Beside& beside, TextPage& page) {
  if (beside.conditions.empty()) return;
  page.banner("CONDITIONS (--fail-if)");
  for (const CheckedCondition& condition : beside.conditions) {
    const bool failed = condition.verdict.holds;
    page.line(page.styled(failed ? "31" : "32", (failed ? "FAILED  " : "passed  ") + condition.text));
    for (const std::string& reason : condition.verdict.reasons) page.line("        " + reason);
  }
}

void conditions_list(const Beside& beside, MarkdownPage& page) {
  for (const CheckedCondition& condition : beside.conditions) {
    page.item(fmt::format("{} {}", condition.verdict.holds ? "❌" : "✅", markdown_code(condition.text)));
    for (const std::string& reason : condition.verdict.reasons) page.item(markdown_cell(reason), 1);
  }
}

std::vector<std::pair<std::string, std::string>> rules_of(const Comparison& comparison) {
  auto rules = analysis::names(comparison.runs().front().table.rules);
  for (auto& [rule, choice] : rules) choice.resize(std::min(choice.find(':'), choice.size()));
  return rules;
}

std::vector<std::string> definitions(const Comparison& comparison) {
  std::string rules = "Definitions: ";
  for (const auto& [rule, choice] : rules_of(comparison)) {
    if (!rules.ends_with(": ")) rules += ", ";
    rules += rule + "=" + choice;
  }
  std::vector<std::string> lines = {std::move(rules)};
  const auto& left_out = comparison.runs().front().left_out;
  if (!left_out.empty())
    lines.push_back("Left out: " + report::exclusion_words(left_out) + ", as if they had not been executed");
  return lines;
}

std::vector<IntervalNote> notes_of(const Comparison& comparison, std::size_t interval) {
  std::vector<IntervalNote> notes;
  const UnitedNode& node = comparison.intervals().nodes()[interval];
  for (const Configuration& configuration : comparison.configurations()) {
    for (const std::size_t r : configuration.runs) {
      if (node.own[r] == none) continue;
      for (const std::string& text : comparison.runs()[r].table.intervals[node.own[r]].notes) {
        auto found = std::find_if(notes.begin(), notes.end(), [&](const IntervalNote& n) { return n.text == text; });
        if (found == notes.end()) found = notes.insert(notes.end(), {text, {}});
        if (found->labels.empty() || found->labels.back() != configuration.label)
          found->labels.push_back(configuration.label);
      }
    }
  }
  return notes;
}

}  // namespace mora::compare
