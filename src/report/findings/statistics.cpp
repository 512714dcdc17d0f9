/// How long single waits were, as text, CSV and JSON (Scalasca calls its file of them trace.stat). Pure functions; the
/// statistics themselves are made by the analysis.
#include "report/findings/statistics.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/data/figures.h"
#include "report/findings/fields.h"

namespace mora::report {
namespace {

/// number, sum, minimum, quartiles, maximum; `time` makes cells of the times.
template <class Time>
Cells cells_of(const analysis::WaitStatistics& waits, const Time& time) {
  return {waits.count,        time(waits.sum),
          time(waits.min),    time(waits.lower_quartile),
          time(waits.median), time(waits.upper_quartile),
          time(waits.max)};
}

constexpr std::size_t before_names = 65;  ///< columns of a line

std::vector<Column> statistics_columns(const char* what) {
  return {number("count", 9),  number("sum", 8), number("min", 8), number("q1", 8),
          number("median", 8), number("q3", 8),  number("max", 8), words(what)};
}

Cells statistics_row(const analysis::WaitStatistics& waits, const std::string& what) {
  Cells cells = cells_of(waits, time_for_people);
  cells.emplace_back(what);
  return cells;
}

/// "0.5 ms at t = 3.1 s, rank 1 for rank 0 in main > MPI_Send@a.c:3".
std::string instance_in_words(const Instance& one) {
  std::string text = fmt::format("{:>8} at t = {}  rank {}", time_for_people(one.end - one.begin),
                                 time_for_people(one.begin), one.rank);
  if (one.thread != 0) text += fmt::format(" thread {}", one.thread);
  if (!one.call_path.empty()) text += " in " + one.call_path.back();
  if (one.cause_rank) text += fmt::format(" for rank {}", *one.cause_rank);
  if (!one.cause_call_path.empty()) text += " in " + one.cause_call_path.back();
  return text;
}

std::string csv_row(const std::string& metric, const std::string& call_path, const analysis::WaitStatistics& waits) {
  Cells cells = cells_of(waits, [](Nanoseconds t) { return Seconds{t}; });
  cells.insert(cells.begin(), {metric, call_path});
  cells.emplace_back(Seconds{mean_of(waits)});
  return csv_line(cells);
}

}  // namespace

void statistics_section(const ReportData& data, TextPage& page) {
  std::vector<const MetricRow*> rows;
  for (const MetricRow& metric : data.metrics) {
    if (metric.statistics.count > 0) rows.push_back(&metric);
  }
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MetricRow* a, const MetricRow* b) { return a->statistics.sum > b->statistics.sum; });
  page.banner("WAIT STATISTICS (single waits; quartiles exact to 0.05 %)");
  page.table(statistics_columns("wait state"), rows, "wait states", [&](const MetricRow* metric) {
    return statistics_row(metric->statistics, cut_middle(metric->name, page.width() - before_names));
  });
}

std::string statistics_text(const ReportData& data, const TextOptions& options) {
  TextPage page(options);
  statistics_section(data, page);
  page.banner("STATISTICS OF FINDINGS (a wait state at a call path)");
  Table findings(statistics_columns("finding"));
  page.each(data.findings, [&](const Finding& f) {
    if (f.statistics.count == 0) return;
    findings.add(statistics_row(f.statistics, f.id + " " + f.name));
    findings.add({"", "", "", "", "", "", "",
                  f.call_path.empty() ? "" : cut_middle(f.call_path.back(), page.width() - before_names)});
  });
  page.table(findings);
  if (data.findings.empty()) page.line(no_findings(data));
  page.truncation(data.findings.size(), "findings");
  page.banner("MOST SEVERE WAITS");
  for (const MetricRow& metric : data.metrics) {
    if (metric.most_severe.empty()) continue;
    page.line(page.styled("1", metric.name));
    page.each(metric.most_severe,
              [&](const Instance& one) { page.line("  " + cut_middle(instance_in_words(one), page.width() - 2)); });
  }
  return page.take();
}

std::string statistics_csv(const ReportData& data) {
  std::string out = "metric,call_path,count,sum,min,q1,median,q3,max,mean\n";
  for (const MetricRow& metric : data.metrics) {
    if (metric.statistics.count > 0) out += csv_row(metric.id, "", metric.statistics);
  }
  for (const Finding& f : data.findings) {
    if (f.statistics.count > 0) out += csv_row(f.metric, joined(f.call_path), f.statistics);
  }
  return out;
}

std::string statistics_json(const ReportData& data) {
  JsonDocument json("mora-statistics");
  FieldWriter fields(json);
  std::vector<const MetricRow*> metrics;
  for (const MetricRow& metric : data.metrics) {
    if (metric.statistics.count > 0) metrics.push_back(&metric);
  }
  json.fields("metrics", list(metrics, [&](const MetricRow* metric) {
                json.begin_object().fields("id", metric->id, "name", metric->name);
                visit_waits(fields, *metric);
                json.end_object();
              }));
  json.fields("findings", list(data.findings, [&](const Finding& f) {
                json.begin_object().fields("id", f.id, "metric", f.metric, "call_path", f.call_path);
                visit_waits(fields, f);
                json.end_object();
              }));
  return json.finish(data.quality);
}

}  // namespace mora::report
