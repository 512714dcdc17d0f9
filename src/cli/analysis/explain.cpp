/// `mora explain`: what a metric or wait state means, from the text beside its code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "analysis/metric_info.h"
#include "analysis/metrics/aliases.h"
#include "base/json/json_document.h"
#include "base/table/table.h"
#include "base/table/wrapped.h"
#include "base/text/did_you_mean.h"
#include "cli/command/verbs.h"
#include "cli/terminal/terminal.h"
#include "report/data/tree_order.h"
#include "report/teaching/teaching.h"

namespace mora::cli {
namespace {

using analysis::MetricInfo;

/// The ids nearest to a wrong name, at most three.
std::string nearest(const std::string& name) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  const std::string kebab = analysis::name_to_compare(name);
  for (const MetricInfo& info : analysis::all_metrics()) {
    const bool contains = kebab.size() > 2 && info.id.find(kebab) != info.id.npos;
    ranked.emplace_back(contains ? 0 : edit_distance(kebab, info.id), info.id);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < 3 && i < ranked.size(); ++i) {
    if (ranked[i].first > std::max<std::size_t>(2, kebab.size() / 2)) break;
    text += (text.empty() ? "" : ", ") + std::string(ranked[i].second);
  }
  return text;
}

/// The symbols that a formula uses and does not define, with what they mean.
std::string symbols_of(std::string_view formula) {
  struct Symbol {
    std::vector<std::string_view> marks;  ///< any of these in the formula
    const char* meaning;
  };
  static const std::vector<Symbol> symbols = {
      {{"L - E"}, "E, L: enter and leave of a call"},
      {{"E(", "L("}, "E(c), L(c): enter and leave of call c"},
      {{"E_p", "E_q", "E_t", "L_p", "L_q", "L_t"}, "E_p, L_p: enter and leave of the call on p (a rank or thread)"},
      {{"B_p", "B_q", "B_r", "B_k", "X_p", "X_q"}, "B_p, X_p: begin and end of the operation on rank p"},
      {{"max_q", "min_q"}, "max_q, min_q: the largest and the least over all who take part"},
      {{"w_p", "w_r", "w_k", "w_t"}, "w_p: the waiting of p"},
      {{"c_p"}, "c_p: the amount of p"},
      {{"enclosing("}, "enclosing(x): the call that holds the record of x"},
      {{"]+"}, "[x]+: x, but 0 if x is negative"},
      {{"CP("}, "CP(c), CP(c, l): time of the critical path in call path c (on location l); |CP|: its length"},
      {{"t(fork)", "t(join)", "t(release", "t(acquire"}, "t(x): time of record x"},
      {{"clock-violation"}, "clock-violation: a row of the data-quality table"},
  };
  std::string text;
  for (const Symbol& symbol : symbols) {
    const bool used = std::any_of(symbol.marks.begin(), symbol.marks.end(),
                                  [&](std::string_view mark) { return formula.find(mark) != formula.npos; });
    if (used) text += (text.empty() ? "" : "; ") + std::string(symbol.meaning);
  }
  return text;
}

/// A labelled paragraph of at most 79 columns.
void print_paragraph(const char* label, std::string_view text) {
  constexpr std::size_t width = 79;
  std::printf("%s\n", hanging(fmt::format("{:<11}", label), std::string(text), width).c_str());
}

void print_text(const MetricInfo& info) {
  std::printf("%.*s (%.*s)\n", static_cast<int>(info.name.size()), info.name.data(), static_cast<int>(info.id.size()),
              info.id.data());
  print_paragraph("", info.summary);
  std::printf("\n");
  print_paragraph("kind", info.wait_state ? "wait state: time lost by waiting" : "amount: a sum, no waiting by itself");
  print_paragraph("unit", unit_word(info.unit));
  print_paragraph("part of", info.parent.empty() ? "nothing (a root)" : info.parent);
  if (const std::string others = analysis::other_names(info); !others.empty()) print_paragraph("also", others);
  print_paragraph("formula", info.formula);
  if (const std::string symbols = symbols_of(info.formula); !symbols.empty()) print_paragraph("symbols", symbols);
  print_paragraph("source", info.source);
  print_paragraph("diagnosis", info.diagnosis);
  print_paragraph("advice", info.advice);
}

/// A characteristic of intervals has no diagnosis of its own: mora advise knows which cause it has in a run.
int explain_characteristic(const analysis::CharacteristicInfo& info, bool json) {
  const std::string_view others = analysis::other_names(info.id);
  constexpr std::string_view kind = "characteristic of intervals (mora report --intervals, --why)";
  if (json) {
    JsonDocument document("mora-characteristic");
    document.fields("id", info.key, "name", info.name, "kind", kind, "other_names", others, "formula", info.formula,
                    "source", info.source);
    std::fputs(document.finish().c_str(), stdout);
    return 0;
  }
  std::printf("%.*s (%.*s)\n\n", static_cast<int>(info.name.size()), info.name.data(),
              static_cast<int>(info.key.size()), info.key.data());
  print_paragraph("kind", kind);
  if (!others.empty()) print_paragraph("also", others);
  print_paragraph("formula", info.formula);
  print_paragraph("source", info.source);
  return 0;
}

/// The teaching trace of a wait state, drawn.
Result<void> print_example(const MetricInfo& info, const report::PictureStyle& style) {
  const report::TeachingTrace* trace = report::find_teaching_trace(info.id);
  if (trace == nullptr) return {};
  MORA_TRY(const report::Picture picture, report::teaching_picture(*trace));
  std::printf("\n");
  print_paragraph("example", report::teaching_text(*trace).caption);
  std::printf("\n%s", report::draw(picture, style).c_str());
  return {};
}

Result<void> write_example(const MetricInfo& info, JsonWriter& json) {
  const report::TeachingTrace* trace = report::find_teaching_trace(info.id);
  json.key("example");
  if (trace == nullptr) {
    json.null();
    return {};
  }
  MORA_TRY(const report::Picture picture, report::teaching_picture(*trace));
  std::vector<Nanoseconds> severities;
  for (const report::PictureRow& row : picture.rows) {
    Nanoseconds& sum = severities.emplace_back(0);
    for (const auto& [begin, end] : row.waits) sum += end - begin;
  }
  json.object("caption", report::teaching_text(*trace).caption, "trace", trace->text, "severity_ns", picture.total,
              "severity_by_location_ns", severities, "waits", list(picture.waits));
  return {};
}

/// Fields of the object that is open.
Result<void> write_metric(const MetricInfo& info, JsonWriter& json) {
  json.fields("id", info.id, "name", info.name, "unique_name", info.unique_name, "parent", if_any(info.parent), "unit",
              unit_word(info.unit), "wait_state", info.wait_state, "summary", info.summary, "formula", info.formula,
              "source", info.source, "diagnosis", info.diagnosis, "advice", info.advice);
  return write_example(info, json);
}

Result<int> run_explain(const Arguments& arguments) {
  const bool json = arguments.has("json");
  if (arguments.positionals.empty()) {
    if (json) {
      JsonDocument document("mora-metrics");
      document.key("metrics").begin_array();
      for (const MetricInfo& info : analysis::all_metrics()) {
        document.begin_object();
        MORA_CHECK_OK(write_metric(info, document));
        document.end_object();
      }
      document.end_array();
      std::fputs(document.finish().c_str(), stdout);
      return 0;
    }
    const auto tree = report::tree_order(analysis::all_metrics());
    const Table table({words("wait state"), {"id", 0, 1, true}, {"summary", 0, 1, true}}, tree, [](const auto& row) {
      const auto& [info, level] = row;
      return Cells{info->wait_state ? "*" : " ", std::string(2 * level, ' ') + std::string(info->id), info->summary};
    });
    std::fputs(text_of(table, {.has_heading = false}).c_str(), stdout);
    std::printf(
        "\n* wait state. mora explain NAME prints formula, source, diagnosis and advice, and draws an example.\n");
    return 0;
  }
  // A name of several words may come unquoted.
  std::string name = arguments.positionals.front();
  for (std::size_t i = 1; i < arguments.positionals.size(); ++i) name += ' ' + arguments.positionals[i];
  const MetricInfo* info = analysis::find_metric_by_any_name(name);
  if (const auto* other = analysis::find_characteristic_by_any_name(name); info == nullptr && other != nullptr) {
    return explain_characteristic(*other, json);
  }
  if (info == nullptr) {
    const std::string near = nearest(name);
    return fail(
        ErrorKind::usage, "there is no metric of this name", name, "",
        near.empty() ? "`mora explain` lists all names" : "did you mean " + near + "? `mora explain` lists all names");
  }
  if (json) {
    JsonDocument document("mora-metric");
    MORA_CHECK_OK(write_metric(*info, document));
    std::fputs(document.finish().c_str(), stdout);
  } else {
    print_text(*info);
    constexpr unsigned width = 80;
    MORA_CHECK_OK(print_example(*info, {width, arguments.has("ascii") || !terminal_takes_utf8(), use_colour()}));
  }
  return 0;
}

}  // namespace

const Verb verb_explain{
    .name = "explain",
    .summary = "explain a wait state or metric: meaning, formula, source, advice",
    .description =
        "Prints what a metric counts, its formula and the source of the definition (keys of docs/sources.md; Mora's "
        "own rules are in docs/rules.md), what it means when the metric is large, and what to try. A wait state is "
        "also shown in a small example, drawn to scale: one row per rank, the waiting shaded, messages as numbered "
        "arrows. Without NAME it lists all metrics as a tree; wait states are marked with *.",
    .positionals = {{"NAME", "id or displayed name of a metric, for example late-sender or Late Sender", 0, -1}},
    .options = {{"--ascii", "", "draw with ASCII characters only", "if the terminal cannot show UTF-8"},
                {"--json", "", "print JSON, with the trace of the example", ""}},
    .examples = {{"mora explain late-sender", "one wait state"}, {"mora explain", "all metrics"}},
    .run = run_explain,
};

}  // namespace mora::cli
