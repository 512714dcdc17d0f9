/// Columns are figures of an interval, rows are configurations in the given order. The default columns are the key
/// figures of POP and of lost time.
#include "report/compare/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json/json_document.h"
#include "base/text/trimmed.h"
#include "report/intervals/seconds_format.h"

namespace mora::compare {
namespace {

std::string shown_mean(const Spread& spread, report::SecondsFormat& seconds) {
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
    const std::string name(trimmed(std::string_view(text).substr(0, at)));
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
      column.interval = comparison.find_interval(std::string(trimmed(std::string_view(text).substr(at + 1))), &why);
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
  TextPage page(options);
  page.banner("HISTORY");
  page.table(report::with_enough_digits([&](report::SecondsFormat& seconds) {
    std::vector<Column> columns{words("run"), words("date"), number("processes"), number("runs")};
    for (std::size_t c = 0; c < history.columns.size(); ++c) columns.push_back(number(fmt::format("[{}]", c + 1)));
    Table table(columns);
    for (std::size_t r = 0; r < history.labels.size(); ++r) {
      Cells cells{history.labels[r], history.dates[r].empty() ? "-" : history.dates[r], history.processes[r],
                  history.runs[r]};
      for (const HistoryColumn& column : history.columns) cells.emplace_back(shown_mean(column.values[r], seconds));
      table.add(std::move(cells));
    }
    return table;
  }));
  page.line();
  const bool has_means = std::any_of(history.runs.begin(), history.runs.end(), [](std::uint32_t n) { return n > 1; });
  for (std::size_t c = 0; c < history.columns.size(); ++c) {
    const HistoryColumn& column = history.columns[c];
    page.line(fmt::format("[{}] {} ({}){}", c + 1, column.label, unit_name(column.unit),
                          has_means ? ", mean of the runs" : ""));
  }
  for (const std::string& line : history.definitions) page.paragraph(line);
  conditions_section(beside, page);
  return page.take();
}

std::string history_json(const History& history, const Beside& beside) {
  JsonDocument json("mora-history");
  json.key("rules").begin_line_object();
  for (const auto& [rule, choice] : history.rules) json.fields(rule, choice);
  json.end_object().fields("without_ids", history.without_ids).key("runs").begin_array();
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    json.object("label", history.labels[r], "date", if_any(history.dates[r]), "processes", history.processes[r], "runs",
                history.runs[r], "figures", list(history.columns, [&](const HistoryColumn& column) {
                  const Spread& spread = column.values[r];
                  const auto known = [&](Value v) { return spread.present == 0 ? Cell() : exact_cell(v, column.unit); };
                  json.line("key", column.key, "label", column.label, "unit", unit_name(column.unit), "mean",
                            mean_cell(spread), "min", known(spread.least), "max", known(spread.most));
                }));
  }
  json.end_array().fields("failed", beside.failed(), "conditions", beside.conditions);
  return json.finish();
}

std::string history_csv(const History& history) {
  Table table({words("run"), words("date"), number("processes"), words("figure"), words("unit"), number("mean"),
               number("min"), number("max"), number("runs")});
  const auto general = [&](const std::string& text) { table.add({{}, {}, {}, text, {}, {}, {}, {}, {}}); };
  for (const auto& [rule, choice] : history.rules) general("rule " + rule + "=" + choice);
  for (const std::string& id : history.without_ids) general("left out " + id);
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    for (const HistoryColumn& column : history.columns) {
      const Spread& spread = column.values[r];
      const auto text = [&](Value v) { return spread.present == 0 ? "" : exact_text(v, column.unit); };
      table.add({history.labels[r], history.dates[r], history.processes[r], column.label, unit_name(column.unit),
                 text(spread.mean()), text(spread.least), text(spread.most), spread.present});
    }
  }
  return csv_of(table);
}

std::string history_markdown(const History& history, const Beside& beside) {
  MarkdownPage page;
  page.heading(2, "Mora: history");
  conditions_list(beside, page);
  std::vector<Column> columns{words("run"), words("date"), number("processes")};
  for (const HistoryColumn& column : history.columns)
    columns.push_back(number(fmt::format("{} ({})", markdown_cell(column.label), unit_name(column.unit))));
  Table table(columns);
  for (std::size_t r = 0; r < history.labels.size(); ++r) {
    Cells cells{history.labels[r], history.dates[r], history.processes[r]};
    for (const HistoryColumn& column : history.columns) {
      const Spread& spread = column.values[r];
      cells.push_back(Cell::figure(spread.present == 0 ? "–" : exact_text(spread.mean(), column.unit)));
    }
    table.add(std::move(cells));
  }
  page.table(table);
  for (const std::string& line : history.definitions) page.paragraph(markdown_cell(line) + ".");
  return page.take();
}

}  // namespace mora::compare
