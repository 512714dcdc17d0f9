/// The comparison as JSON (docs/formats/compare.md): exact values, every figure of every interval and call path.
#include <fmt/format.h>

#include "base/version.h"
#include "cube/algebra.h"
#include "report/compare/compare_report.h"
#include "report/pop/pop_json.h"
#include "report/report_data.h"

namespace mora::compare {
namespace {

class Writer {
 public:
  explicit Writer(const Comparison& comparison) : comparison_(comparison) {}

  std::string write(const Beside& beside) {
    json_.begin_object();
    json_.key("schema").string("mora-compare").key("schema_version").integer(1);
    json_.key("creator").string(std::string("mora ") + version());
    configurations();
    json_.key("spread_known").boolean(comparison_.has_spread());
    json_.key("criterion").string(criterion_text(comparison_));
    json_.key("rules").begin_line_object();
    for (const auto& [rule, choice] : analysis::names(comparison_.runs().front().table.rules))
      json_.key(rule).string(choice);
    json_.end_object();
    json_.key("without_ids").begin_line_array();
    for (const report::Exclusion& exclusion : comparison_.runs().front().left_out) json_.string(exclusion.text());
    json_.end_array();
    json_.key("serialisation");
    serialisation();
    json_.key("figures").begin_array();
    for (const Figure& f : comparison_.catalogue().all()) {
      json_.begin_line_object()
          .key("key")
          .string(f.key)
          .key("kind")
          .string(to_string(f.kind))
          .key("name")
          .string(f.name);
      json_.key("unit").string(unit_name(f.unit)).key("wait_state").boolean(f.is_wait_state).end_object();
    }
    json_.end_array();
    json_.key("intervals").begin_array();
    for (const std::size_t i : comparison_.intervals().preorder()) interval(i);
    json_.end_array();
    call_paths();
    json_.key("unmatched").begin_object();
    places("intervals", comparison_.intervals(), [&](std::size_t i) { return comparison_.interval_label(i); });
    places("call_paths", comparison_.call_paths(), [&](std::size_t i) { return comparison_.call_path_label(i); });
    json_.end_object();
    conditions(beside);
    json_.key("scaling");
    if (beside.scaling) {
      report::scaling_json(json_, *beside.scaling);
    } else {
      json_.null();
    }
    json_.key("one_process");
    if (beside.one_process) {
      report::one_process_json(json_, *beside.one_process, *beside.of_run, *beside.of_one);
    } else {
      json_.null();
    }
    json_.end_object();
    return json_.str() + "\n";
  }

 private:
  void value(Value value, FigureUnit unit) {
    switch (unit) {
      case FigureUnit::seconds:
        json_.seconds(value.amount);
        break;
      case FigureUnit::ratio:
        ratio(value.ratio);
        break;
      case FigureUnit::occurrences:
      case FigureUnit::bytes:
        json_.integer(value.amount);
        break;
    }
  }
  /// Nine digits, as exact_text.
  void ratio(double value) { json_.number(std::stod(fmt::format("{:.9g}", value))); }

  void configurations() {
    json_.key("configurations").begin_array();
    for (const Configuration& configuration : comparison_.configurations()) {
      json_.begin_object().key("label").string(configuration.label);
      json_.key("runs").begin_array();
      for (const std::size_t r : configuration.runs) {
        const Run& run = comparison_.runs()[r];
        json_.begin_object().key("name").string(run.name).key("date");
        run.date.empty() ? json_.null() : json_.string(run.date);
        json_.key("processes").integer(run.processes).key("notes").begin_array();
        for (const std::string& note : run.notes) json_.string(note);
        json_.end_array().end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void serialisation() {
    if (!comparison_.serialisation()) {
      json_.null();
      return;
    }
    const Run& run = comparison_.runs().front();
    const auto pop = analysis::pop_metrics(run.cube, run.table, 0);
    json_.string(pop.of(*comparison_.serialisation()).key);
  }

  void change(const std::optional<Change>& change, FigureUnit unit) {
    json_.key("difference");
    change ? value(change->difference, unit) : static_cast<void>(json_.null());
    json_.key("ratio");
    change && change->ratio ? ratio(*change->ratio) : static_cast<void>(json_.null());
    json_.key("significance");
    change ? json_.string(to_string(change->significance)) : json_.null();
  }

  /// Means of every configuration and the change of the last against the first; what only several runs or
  /// configurations have behind it.
  void spreads(const FigureRow& row) {
    const FigureUnit unit = row.figure->unit;
    json_.key("values").begin_line_array();
    for (const Spread& spread : row.values) {
      spread.present == 0 ? static_cast<void>(json_.null()) : value(spread.mean(), unit);
    }
    json_.end_array();
    if (row.values.size() > 1) change(row.change(), unit);
    if (comparison_.has_spread()) {
      json_.key("spread").begin_line_array();
      for (const Spread& spread : row.values) {
        if (spread.present == 0) {
          json_.null();
          continue;
        }
        json_.begin_line_object().key("min");
        value(spread.least, unit);
        json_.key("max");
        value(spread.most, unit);
        json_.key("runs").integer(spread.present).end_object();
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
    json_.begin_line_object().key("key").string(row.figure->key).key("kind").string(to_string(row.figure->kind));
    spreads(row);
    if (row.figure->kind == FigureKind::characteristic && row.figure->is_additive) {
      json_.key("per_process").begin_line_array();
      for (const PerProcess& per : comparison_.per_process(interval, *row.figure)) {
        if (per.processes == 0) {
          json_.null();
          continue;
        }
        json_.begin_line_object().key("processes").integer(static_cast<std::int64_t>(per.processes));
        json_.key("mean").seconds(per.mean).key("min").seconds(per.least).key("max").seconds(per.most).end_object();
      }
      json_.end_array();
      const auto by_rank = comparison_.by_rank(interval, *row.figure);
      if (!by_rank.empty()) {
        json_.key("by_rank").begin_line_array();
        for (const auto& amounts : by_rank) {
          json_.begin_line_array();
          for (const std::int64_t amount : amounts) json_.seconds(amount);
          json_.end_array();
        }
        json_.end_array();
      }
    }
    json_.end_object();
  }

  /// Who has it, how it was matched.
  void match_of(const UnitedNode& node) {
    json_.key("match").string(to_string(Comparison::worst_match(node)));
    json_.key("in").begin_line_array();
    for (std::size_t c = 0; c < comparison_.configurations().size(); ++c) {
      if (comparison_.has(node, c)) json_.string(comparison_.configurations()[c].label);
    }
    json_.end_array();
  }

  void interval(std::size_t index) {
    const UnitedNode& node = comparison_.intervals().nodes()[index];
    json_.begin_object().key("interval").string(comparison_.interval_label(index));
    match_of(node);
    json_.key("places").begin_array();
    for (std::size_t r = 0; r < comparison_.runs().size(); ++r) {
      if (node.own[r] == none) {
        json_.null();
        continue;
      }
      const Run& run = comparison_.runs()[r];
      const analysis::Interval& own = run.table.intervals[node.own[r]];
      json_.begin_line_object().key("number").string(run.numbers[node.own[r]]).key("name").string(own.name);
      json_.key("file").string(own.file).key("line").integer(own.line).key("id").integer(own.id);
      json_.key("level").integer(own.level).key("count").integer(own.executions);
      json_.key("processes").integer(static_cast<std::int64_t>(own.processes.size()));
      json_.key("match").string(to_string(node.match[r])).key("notes").begin_line_array();
      for (const std::string& note : own.notes) json_.string(note);
      json_.end_array().end_object();
    }
    json_.end_array().key("figures").begin_array();
    const auto rows = comparison_.interval_figures(index);
    for (const FigureRow& row : rows) figure(row, index);
    json_.end_array().key("rest").begin_array();
    if (!node.children.empty()) {
      for (const FigureRow& row : rows) {
        if (row.figure->kind != FigureKind::metric) continue;
        json_.begin_line_object().key("key").string(row.figure->key);
        spreads(comparison_.rest_of(index, *row.figure));
        json_.end_object();
      }
    }
    json_.end_array().end_object();
  }

  void call_paths() {
    json_.key("call_paths").begin_array();
    for (const std::size_t i : comparison_.call_paths().preorder()) {
      const UnitedNode& node = comparison_.call_paths().nodes()[i];
      std::vector<FigureRow> rows;
      for (const Figure& figure : comparison_.catalogue().all()) {
        if (figure.kind != FigureKind::metric) continue;
        FigureRow row = comparison_.call_path_figure(i, figure);
        if (!row.is_zero()) rows.push_back(std::move(row));
      }
      if (rows.empty()) continue;
      json_.begin_object();
      for (std::size_t r = 0; r < node.own.size(); ++r) {
        if (node.own[r] == none) continue;
        json_.key("call_path").begin_line_array();
        const auto own = static_cast<cube::CallPathId>(node.own[r]);
        for (const std::string& label : report::labels_of(comparison_.runs()[r].cube, own)) json_.string(label);
        json_.end_array();
        break;
      }
      match_of(node);
      json_.key("metrics").begin_array();
      for (const FigureRow& row : rows) {
        json_.begin_line_object().key("key").string(row.figure->key);
        spreads(row);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  template <class Label>
  void places(const char* key, const UnitedTree& tree, const Label& label) {
    json_.key(key).begin_array();
    for (const std::size_t i : unmatched(comparison_, tree)) {
      json_.begin_line_object().key("place").string(label(i)).key("in").begin_line_array();
      for (std::size_t c = 0; c < comparison_.configurations().size(); ++c) {
        if (comparison_.has(tree.nodes()[i], c)) json_.string(comparison_.configurations()[c].label);
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void conditions(const Beside& beside) {
    json_.key("failed").boolean(beside.failed()).key("conditions").begin_array();
    for (const CheckedCondition& condition : beside.conditions) {
      json_.begin_object().key("condition").string(condition.text).key("holds").boolean(condition.verdict.holds);
      json_.key("reasons").begin_array();
      for (const std::string& reason : condition.verdict.reasons) json_.string(reason);
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  const Comparison& comparison_;
  JsonWriter json_;
};

}  // namespace

std::string compare_json(const Comparison& comparison, const Beside& beside) {
  return Writer(comparison).write(beside);
}

}  // namespace mora::compare
