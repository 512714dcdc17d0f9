/// The comparison as JSON (docs/formats/compare.md): exact values, every figure of every interval and call path.
/// Seconds have nanosecond digits, ratios nine significant ones; what cannot be computed is null. O(places x figures x
/// runs).
#include "base/json/json_document.h"
#include "cube/algebra.h"
#include "cube/labels.h"
#include "report/compare/compare_report.h"
#include "report/data/report_data.h"
#include "report/pop/pop_json.h"

namespace mora::compare {

void write_json(JsonWriter& json, const CheckedCondition& condition) {
  json.object("condition", condition.text, "holds", condition.verdict.holds, "reasons",
              list(condition.verdict.reasons));
}

namespace {

class CompareJson {
 private:
  template <class Label>
  auto places(const UnitedTree& tree, const Label& label) {
    return [this, &tree, label] {
      json_.begin_array();
      for (const std::size_t i : unmatched(comparison_, tree))
        json_.line("place", label(i), "in", comparison_.owners(tree.nodes()[i]));
      json_.end_array();
    };
  }

  std::optional<std::string> serialisation() const {
    if (!comparison_.serialisation()) return std::nullopt;
    const Run& run = comparison_.runs().front();
    return std::string(analysis::pop_metrics(run.cube, run.table, 0).of(*comparison_.serialisation()).key);
  }

  void one_process(const Beside& beside) {
    if (!beside.one_process) return void(json_.null());
    report::one_process_json(json_, *beside.one_process, *beside.of_run, *beside.of_one);
  }

  void change(const std::optional<Change>& change, FigureUnit unit) {
    json_.fields("difference", change ? exact_cell(change->difference, unit) : Cell(), "ratio",
                 change && change->ratio ? exact_cell({0, *change->ratio}, FigureUnit::ratio) : Cell(), "significance",
                 change ? Cell(to_string(change->significance)) : Cell());
  }

  /// Means of every configuration and the change of the last against the first; what only several runs or
  /// configurations have behind it.
  void spreads(const FigureRow& row) {
    const FigureUnit unit = row.figure->unit;
    json_.key("values").begin_line_array();
    for (const Spread& spread : row.values) json_.value(mean_cell(spread));
    json_.end_array();
    if (row.values.size() > 1) change(row.change(), unit);
    if (comparison_.has_spread()) {
      json_.key("spread").begin_line_array();
      for (const Spread& spread : row.values) {
        if (spread.present == 0) {
          json_.null();
        } else {
          json_.line("min", exact_cell(spread.least, unit), "max", exact_cell(spread.most, unit), "runs",
                     spread.present);
        }
      }
      json_.end_array();
    }
    if (row.values.size() < 3) return;
    json_.key("changes").begin_line_array();
    for (std::size_t c = 1; c < row.values.size(); ++c) {
      json_.begin_line_object();
      change(row.change(c), unit);
      json_.end_object();
    }
    json_.end_array();
  }

  void figure(const FigureRow& row, std::size_t interval) {
    json_.begin_line_object().fields("key", row.figure->key, "kind", to_string(row.figure->kind));
    spreads(row);
    if (row.figure->kind == FigureKind::characteristic && row.figure->is_additive) {
      json_.fields("per_process", list(comparison_.per_process(interval, *row.figure), [&](const PerProcess& per) {
                     if (per.processes == 0) return void(json_.null());
                     json_.line("processes", per.processes, "mean", Seconds{per.mean}, "min", Seconds{per.least}, "max",
                                Seconds{per.most});
                   }));
      const auto by_rank = comparison_.by_rank(interval, *row.figure);
      if (!by_rank.empty())
        json_.fields("by_rank", list(by_rank, [&](const auto& amounts) {
                       json_.begin_line_array();
                       for (const std::int64_t amount : amounts) json_.seconds(amount);
                       json_.end_array();
                     }));
    }
    json_.end_object();
  }

  /// A figure of a place that needs no kind: all are metrics.
  void metric(const FigureRow& row) {
    json_.begin_line_object().fields("key", row.figure->key);
    spreads(row);
    json_.end_object();
  }

  void interval(std::size_t index) {
    const UnitedNode& node = comparison_.intervals().nodes()[index];
    const auto rows = comparison_.interval_figures(index);
    json_.begin_object().fields("interval", comparison_.interval_label(index), "match",
                                to_string(Comparison::worst_match(node)), "in", comparison_.owners(node));
    json_.key("places").begin_array();
    for (std::size_t r = 0; r < comparison_.runs().size(); ++r) {
      if (node.own[r] == none) {
        json_.null();
        continue;
      }
      const Run& run = comparison_.runs()[r];
      const analysis::Interval& own = run.table.intervals[node.own[r]];
      json_.line("number", run.numbers[node.own[r]], "name", own.name, "file", own.file, "line", own.line, "id", own.id,
                 "level", own.level, "count", own.executions, "processes", own.processes.size(), "match",
                 to_string(node.match[r]), "notes", own.notes);
    }
    json_.end_array().fields("figures", list(rows, [&](const FigureRow& row) { figure(row, index); }));
    json_.key("rest").begin_array();
    for (const FigureRow& row : rows) {
      if (!node.children.empty() && row.figure->kind == FigureKind::metric)
        metric(comparison_.rest_of(index, *row.figure));
    }
    json_.end_array().end_object();
  }

  void call_paths() {
    json_.key("call_paths").begin_array();
    for (const std::size_t i : comparison_.call_paths().preorder()) {
      const UnitedNode& node = comparison_.call_paths().nodes()[i];
      const std::vector<FigureRow> rows = metrics_of_call_path(comparison_, i);
      if (rows.empty()) continue;
      json_.begin_object();
      const auto owner = std::find_if(node.own.begin(), node.own.end(), [](std::size_t own) { return own != none; });
      if (owner != node.own.end()) {
        const Run& run = comparison_.runs()[static_cast<std::size_t>(owner - node.own.begin())];
        json_.fields("call_path", report::labels_of(run.cube, static_cast<cube::CallPathId>(*owner)));
      }
      json_.fields("match", to_string(Comparison::worst_match(node)), "in", comparison_.owners(node), "metrics",
                   list(rows, [&](const FigureRow& row) { metric(row); }));
      json_.end_object();
    }
    json_.end_array();
  }

 public:
  explicit CompareJson(const Comparison& comparison) : comparison_(comparison) {}

  std::string write(const Beside& beside) {
    const auto intervals = comparison_.intervals().preorder();
    json_.fields("configurations", list(comparison_.configurations(), [&](const Configuration& configuration) {
                   json_.object("label", configuration.label, "runs", list(configuration.runs, [&](std::size_t r) {
                                  const Run& run = comparison_.runs()[r];
                                  json_.object("name", run.name, "date", if_any(run.date), "processes", run.processes,
                                               "notes", list(run.notes));
                                }));
                 }));
    json_.fields("spread_known", comparison_.has_spread(), "criterion", criterion_text(comparison_));
    write_rules(json_, comparison_);
    json_.fields("serialisation", serialisation(), "figures", list(comparison_.catalogue().all(), [&](const Figure& f) {
                   json_.line("key", f.key, "kind", to_string(f.kind), "name", f.name, "unit", unit_name(f.unit),
                              "wait_state", f.is_wait_state);
                 }));
    json_.fields("intervals", list(intervals, [&](std::size_t i) { interval(i); }));
    call_paths();
    json_.key("unmatched")
        .object("intervals",
                places(comparison_.intervals(), [&](std::size_t i) { return comparison_.interval_label(i); }),
                "call_paths",
                places(comparison_.call_paths(), [&](std::size_t i) { return comparison_.call_path_label(i); }));
    json_.fields("failed", beside.failed(), "conditions", beside.conditions, "scaling", beside.scaling, "one_process",
                 [&] { one_process(beside); });
    return json_.finish();
  }

 private:
  const Comparison& comparison_;
  JsonDocument json_{"mora-compare"};
};

}  // namespace

void write_rules(JsonWriter& json, const Comparison& comparison) {
  std::vector<std::string> left_out;
  for (const report::Exclusion& exclusion : comparison.runs().front().left_out) left_out.push_back(exclusion.text());
  json.key("rules").begin_line_object();
  for (const auto& [rule, choice] : analysis::names(comparison.runs().front().table.rules)) json.fields(rule, choice);
  json.end_object().fields("without_ids", left_out);
}

std::string compare_json(const Comparison& comparison, const Beside& beside) {
  return CompareJson(comparison).write(beside);
}

std::string figure_names_json() {
  const Catalogue catalogue({});
  JsonWriter json;
  json.begin_object().key("figures").begin_array();
  for (const Figure& figure : catalogue.all()) {
    if (figure.kind == FigureKind::metric) continue;
    json.begin_line_object().fields("key", figure.key, "kind", to_string(figure.kind), "name", figure.name, "unit",
                                    unit_name(figure.unit));
    const bool is_explained = figure.kind == FigureKind::characteristic;
    const auto characteristic = static_cast<analysis::Characteristic>(is_explained ? figure.index : 0);
    json.fields("formula", is_explained ? analysis::info_of(characteristic).formula : std::string_view(), "other_names",
                is_explained ? analysis::other_names(characteristic) : std::string_view());
    json.end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace mora::compare
