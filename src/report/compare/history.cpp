/// Columns are figures of an interval, rows are configurations in the given order. The default columns are the key
/// figures of POP and of lost time.
#include "report/compare/history.h"
#include "base/cell_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/version.h"
#include "report/figures.h"
#include "report/intervals/seconds_format.h"
#include "report/text_page.h"

namespace mora::compare {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string shown(const Spread& spread, report::SecondsFormat& seconds) {
  if (spread.present == 0) return "-";
  const Value mean = spread.mean();
  if (spread.unit == FigureUnit::seconds) return seconds(mean.amount);
  if (spread.unit == FigureUnit::ratio) return fmt::format("{:.6f}", mean.ratio);
  return std::to_string(mean.amount);
}

}  // namespace

Result<History> make_history(const Comparison& comparison, const std::vector<std::string>& figures) {
  History history;
  history.rules = rules_of(comparison);
  history.definitions = definitions(comparison);
  for (const report::Exclusion& exclusion : comparison.runs().front().left_out)
    history.without_ids.push_back(exclusion.text());
  for (const Configuration& configuration : comparison.configurations()) {
    const Run& first = comparison.runs()[configuration.runs.front()];
    history.labels.push_back(configuration.label);
    history.dates.push_back(first.date);
    history.processes.push_back(first.processes);
    history.runs.push_back(static_cast<std::uint32_t>(configuration.runs.size()));
  }
  const bool chosen = !figures.empty();
  const std::vector<std::string> names =
      chosen ? figures
             : std::vector<std::string>{"execution_time",           "efficiency", "parallel_efficiency", "load_balance",
                                        "communication_efficiency", "lost_time",  "communication",       "idle_time"};
  for (const std::string& text : names) {
    const std::size_t at = text.find('@');
    const std::string name = trimmed(text.substr(0, at));
    const Figure* figure = comparison.catalogue().find(name);
    if (figure == nullptr) {
      const std::string guess = comparison.catalogue().nearest(name);
      return fail(ErrorKind::usage, "there is no figure " + name, "--figure",
                  "it is no characteristic of intervals, POP metric or metric",
                  guess.empty() ? "`mora compare --names EXP` lists them" : "did you mean " + guess + "?");
    }
    if (comparison.intervals().roots().empty()) continue;
    HistoryColumn column{comparison.intervals().roots().front(), figure->name, {}, figure->unit, figure->key};
    if (at != std::string::npos) {
      std::string why;
      column.interval = comparison.find_interval(trimmed(text.substr(at + 1)), &why);
      if (column.interval == none) return fail(ErrorKind::usage, "there is no such interval", "--figure " + text, why);
      column.label += " @ " + comparison.interval_label(column.interval);
    }
    const FigureRow row = comparison.interval_figure(column.interval, *figure);
    if (!chosen && !row.is_known()) continue;
    column.values = row.values;
    history.columns.push_back(std::move(column));
  }
  return history;
}

std::string history_text(const History& history, const Beside& beside, const CompareTextOptions& options) {
  report::TextPage page(options.width, options.top, options.colour);
  using report::SecondsFormat;
  std::vector<std::vector<std::string>> rows;
  const auto build = [&](SecondsFormat::Unit unit) {
    SecondsFormat seconds(unit);
    rows.clear();
    auto& head = rows.emplace_back(std::vector<std::string>{"run", "date", "processes", "runs"});
    for (std::size_t c = 0; c < history.columns.size(); ++c) head.push_back(fmt::format("[{}]", c + 1));
    for (std::size_t r = 0; r < history.labels.size(); ++r) {
      auto& row = rows.emplace_back(
          std::vector<std::string>{history.labels[r], history.dates[r].empty() ? "-" : history.dates[r],
                                   std::to_string(history.processes[r]), std::to_string(history.runs[r])});
      for (const HistoryColumn& column : history.columns) row.push_back(shown(column.values[r], seconds));
    }
    return seconds.lost_digits();
  };
  if (build(SecondsFormat::Unit::microseconds)) build(SecondsFormat::Unit::nanoseconds);
  page.banner("HISTORY");
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], report::display_width(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - report::display_width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < 2 ? row[i] + blanks : blanks + row[i]);
    }
    page.line(line);
  }
  page.line("");
  for (std::size_t c = 0; c < history.columns.size(); ++c) {
    const HistoryColumn& column = history.columns[c];
    page.line(fmt::format("[{}] {} ({}){}", c + 1, column.label, unit_name(column.unit),
                          std::any_of(history.runs.begin(), history.runs.end(), [](std::uint32_t n) { return n > 1; })
                              ? ", mean of the runs"
                              : ""));
  }
  for (const std::string& line : history.definitions) page.line(report::wrapped(line, page.width(), 0));
  if (!beside.conditions.empty()) page.banner("CONDITIONS (--fail-if)");
  for (const CheckedCondition& condition : beside.conditions) {
    page.line((condition.verdict.holds ? "FAILED  " : "passed  ") + condition.text);
    for (const std::string& reason : condition.verdict.reasons) page.line("        " + reason);
  }
  return page.take();
}

std::string history_json(const History& history, const Beside& beside) {
  JsonWriter json;
  json.begin_object().key("schema").string("mora-history").key("schema_version").integer(1);
  json.key("creator").string(std::string("mora ") + version());
  const auto value = [&](Value v, FigureUnit unit) {
    if (unit == FigureUnit::seconds) {
      json.seconds(v.amount);
    } else if (unit == FigureUnit::ratio) {
      json.number(std::stod(exact_text(v, unit)));
    } else {
      json.integer(v.amount);
    }
  };
  json.key("rules").begin_line_object();
  for (const auto& [rule, choice] : history.rules) json.key(rule).string(choice);
  json.end_object().key("without_ids").begin_line_array();
  for (const std::string& id : history.without_ids) json.string(id);
  json.end_array();
  json.key("runs").begin_array();
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    json.begin_object().key("label").string(history.labels[r]).key("date");
    history.dates[r].empty() ? json.null() : json.string(history.dates[r]);
    json.key("processes").integer(history.processes[r]).key("runs").integer(history.runs[r]);
    json.key("figures").begin_array();
    for (const HistoryColumn& column : history.columns) {
      const Spread& spread = column.values[r];
      json.begin_line_object().key("key").string(column.key).key("label").string(column.label);
      json.key("unit").string(unit_name(column.unit));
      for (const auto& [key, v] :
           {std::pair("mean", spread.mean()), std::pair("min", spread.least), std::pair("max", spread.most)}) {
        json.key(key);
        spread.present == 0 ? static_cast<void>(json.null()) : value(v, column.unit);
      }
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("failed").boolean(beside.failed()).key("conditions").begin_array();
  for (const CheckedCondition& condition : beside.conditions) {
    json.begin_object().key("condition").string(condition.text).key("holds").boolean(condition.verdict.holds);
    json.key("reasons").begin_array();
    for (const std::string& reason : condition.verdict.reasons) json.string(reason);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.str() + "\n";
}

std::string history_csv(const History& history) {
  std::string out = "run,date,processes,figure,unit,mean,min,max,runs\n";
  for (const auto& [rule, choice] : history.rules)
    out += fmt::format(",,,{},,,,,\n", csv_cell("rule " + rule + "=" + choice));
  for (const std::string& id : history.without_ids) out += fmt::format(",,,{},,,,,\n", csv_cell("left out " + id));
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    for (const HistoryColumn& column : history.columns) {
      const Spread& spread = column.values[r];
      const auto text = [&](Value v) { return spread.present == 0 ? "" : exact_text(v, column.unit); };
      out += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(history.labels[r]), csv_cell(history.dates[r]),
                         history.processes[r], csv_cell(column.label), unit_name(column.unit), text(spread.mean()),
                         text(spread.least), text(spread.most), spread.present);
    }
  }
  return out;
}

std::string history_markdown(const History& history, const Beside& beside) {
  std::string out = "## Mora: history\n\n";
  for (const CheckedCondition& condition : beside.conditions) {
    out += fmt::format("* {} `{}`\n", condition.verdict.holds ? "❌" : "✅", condition.text);
    for (const std::string& reason : condition.verdict.reasons) out += "  * " + markdown_cell(reason) + "\n";
  }
  if (!beside.conditions.empty()) out += "\n";
  out += "| run | date | processes |";
  std::string rule = "|---|---|---:|";
  for (const HistoryColumn& column : history.columns) {
    out += fmt::format(" {} ({}) |", markdown_cell(column.label), unit_name(column.unit));
    rule += "---:|";
  }
  out += "\n" + rule + "\n";
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    out += fmt::format("| {} | {} | {} |", markdown_cell(history.labels[r]), markdown_cell(history.dates[r]),
                       history.processes[r]);
    for (const HistoryColumn& column : history.columns)
      out +=
          fmt::format(" {} |", column.values[r].present == 0 ? "–" : exact_text(column.values[r].mean(), column.unit));
    out += "\n";
  }
  for (const std::string& line : history.definitions) out += "\n" + markdown_cell(line) + ".\n";
  return out;
}

}  // namespace mora::compare
