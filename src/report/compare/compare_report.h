/// A comparison as text, JSON, CSV and Markdown (docs/formats/compare.md). Pure functions; nothing here prints.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/efficiency/pop/scaling.h"
#include "base/json/json_writer.h"
#include "base/table/markdown_page.h"
#include "base/table/text_page.h"
#include "report/compare/comparison/comparison.h"
#include "report/compare/condition/condition.h"
#include "report/one_process/one_process.h"

namespace mora::compare {

struct CheckedCondition {
  std::string text;  ///< as --fail-if has it
  Verdict verdict;
};

/// What the outputs show besides the comparison itself: conditions, scaling, one-process time.
struct Beside {
  std::vector<CheckedCondition> conditions;  ///< of --fail-if
  std::optional<analysis::ScalingTable> scaling;
  std::string scaling_of = "program";  ///< or an interval
  std::optional<report::OneProcessComparison> one_process;
  const analysis::IntervalTable* of_run = nullptr;  ///< the tables that one_process was made from
  const analysis::IntervalTable* of_one = nullptr;

  bool failed() const;  ///< a condition holds: exit code 1
};

/// How a comparison is printed as text or Markdown.
struct CompareTextOptions : TextOptions {
  std::string by = "time";  ///< the metric whose difference is taken apart; must be one
};

/// One function per format. `beside` is shown behind the comparison.
std::string compare_text(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options);
std::string compare_json(const Comparison& comparison, const Beside& beside);
/// What every page calls characteristics and POP metrics: key, kind, name, unit ("s", "occ", "ratio"), formula and
/// other names, which are empty for POP metrics.
std::string figure_names_json();
std::string compare_csv(const Comparison& comparison);
/// For CI comments: conditions, main figures, largest changes.
std::string compare_markdown(const Comparison& comparison, const Beside& beside, const CompareTextOptions& options);

/// What changed from the first configuration to the last, the most important first; empty with one configuration.
std::vector<std::string> change_sentences(const Comparison& comparison);

// What the outputs share.

/// What all figures depend on, as every output names it: {"productive", "cpu"} …, and what was left out by id.
std::vector<std::pair<std::string, std::string>> rules_of(const Comparison& comparison);
/// "Definitions: productive=cpu, …", and "Left out: …" if something was.
std::vector<std::string> definitions(const Comparison& comparison);

/// A note about the numbers of an interval, and the configurations that it is about.
struct IntervalNote {
  std::string text;
  std::vector<std::string> labels;
};
std::vector<IntervalNote> notes_of(const Comparison& comparison, std::size_t interval);

/// "s", "occ", "bytes", "ratio".
const char* unit_name(FigureUnit unit);
/// Exact: seconds with nanosecond digits, counts, ratios with nine significant digits.
std::string exact_text(Value value, FigureUnit unit);
/// The same as a cell.
Cell exact_cell(Value value, FigureUnit unit);
/// The mean of the runs; nothing if it is not known.
Cell mean_cell(const Spread& spread);
/// Which difference is more than chance, in words; with the numbers of runs.
std::string criterion_text(const Comparison& comparison);
/// The metric figure of this key; nullptr if no run has it.
const Figure* metric_figure(const Comparison& comparison, const std::string& key);

/// Size of the difference between the last configuration and the first, as a key for sorting: larger first,
/// insignificant ones last.
double size_of_change(const FigureRow& row);
bool is_larger_change(const FigureRow& a, const FigureRow& b);

/// A node of the interval tree or what its list leaves over, for "where the difference is": rows add up to their
/// parent.
struct Share {
  enum class Kind : std::uint8_t { interval, rest, others } kind = Kind::interval;
  std::size_t interval = 0;  ///< of rest and others: the parent
  std::size_t depth = 0;
  std::size_t count = 1;  ///< others: how many intervals
  FigureRow row;
};
/// The tree of intervals with the metric's values, children with the largest change first, `top` of each parent and one
/// row for all others, and the parent's rest.
std::vector<Share> shares_of(const Comparison& comparison, const Figure& metric, unsigned top);

/// A call path with the values of one metric by configuration.
struct CallPathChange {
  std::size_t call_path = 0;
  FigureRow row;
};
/// One metric by call path, those that are not zero everywhere; largest change first.
std::vector<CallPathChange> call_path_changes(const Comparison& comparison, const Figure& metric);

/// The metrics of one call path that are not zero everywhere.
std::vector<FigureRow> metrics_of_call_path(const Comparison& comparison, std::size_t call_path);

/// The conditions as a section; nothing without any.
void conditions_section(const Beside& beside, TextPage& page);
void conditions_list(const Beside& beside, MarkdownPage& page);
/// {"condition", "holds", "reasons"}.
void write_json(JsonWriter& json, const CheckedCondition& condition);
/// "rules" and "without_ids".
void write_rules(JsonWriter& json, const Comparison& comparison);

/// Nodes that some configuration lacks, topmost only (all below is missing too), in order.
std::vector<std::size_t> unmatched(const Comparison& comparison, const UnitedTree& tree);

}  // namespace mora::compare
