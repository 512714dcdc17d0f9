/// How long single waits were, as text, CSV and JSON (Scalasca calls its file of them trace.stat). Pure functions; the
/// statistics themselves are made by the analysis.
#include "report/statistics.h"

#include "base/cell_text.h"
#include "report/figures.h"
#include "report/text_page.h"
#include "report/text_sections.h"

namespace mora::report {
namespace {

const char* const table_head = "count      sum      min       q1   median       q3      max";

std::string table_row(const analysis::WaitStatistics& waits) {
  std::string row = fmt::format("{:>9}", waits.count);
  for (const Nanoseconds t :
       {waits.sum, waits.min, waits.lower_quartile, waits.median, waits.upper_quartile, waits.max}) {
    row += fmt::format(" {:>8}", time_for_people(t));
  }
  return row;
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
  std::string row = csv_cell(metric) + "," + csv_cell(call_path) + "," + std::to_string(waits.count);
  for (const Nanoseconds t :
       {waits.sum, waits.min, waits.lower_quartile, waits.median, waits.upper_quartile, waits.max, mean_of(waits)}) {
    row += "," + seconds_exact(t);
  }
  return row + "\n";
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
  page.line(fmt::format("{:>63}  {}", table_head, "wait state"));
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    page.line(table_row(rows[i]->statistics) + "  " + cut_middle(rows[i]->name, page.width() - 65));
  }
  page.truncation(rows.size(), "wait states");
}

std::string statistics_text(const ReportData& data, const StatisticsOptions& options) {
  TextPage page(options.width, options.top, options.colour);
  statistics_section(data, page);
  page.banner("STATISTICS OF FINDINGS (a wait state at a call path)");
  page.line(fmt::format("{:>63}  {}", table_head, "finding"));
  if (data.findings.empty()) page.line("No wait state was found.");
  for (std::size_t i = 0; i < page.shown(data.findings.size()); ++i) {
    const Finding& f = data.findings[i];
    if (f.statistics.count == 0) continue;
    page.line(table_row(f.statistics) + fmt::format("  {} {}", f.id, f.name));
    page.line(std::string(65, ' ') + cut_middle(f.call_path.empty() ? "" : f.call_path.back(), page.width() - 65));
  }
  page.truncation(data.findings.size(), "findings");
  page.banner("MOST SEVERE WAITS");
  for (const MetricRow& metric : data.metrics) {
    if (metric.most_severe.empty()) continue;
    page.line(page.styled("1", metric.name));
    for (std::size_t i = 0; i < page.shown(metric.most_severe.size()); ++i) {
      page.line("  " + cut_middle(instance_in_words(metric.most_severe[i]), page.width() - 2));
    }
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
  JsonWriter json;
  json.begin_object().key("schema").string("mora-statistics").key("schema_version").integer(1);
  json.key("metrics").begin_array();
  for (const MetricRow& metric : data.metrics) {
    if (metric.statistics.count == 0) continue;
    json.begin_object().key("id").string(metric.id).key("name").string(metric.name).key("statistics");
    write_statistics(json, metric.statistics);
    json.key("most_severe");
    write_instances(json, metric.most_severe);
    json.end_object();
  }
  json.end_array().key("findings").begin_array();
  for (const Finding& f : data.findings) {
    json.begin_object().key("id").string(f.id).key("metric").string(f.metric).key("call_path").begin_line_array();
    for (const std::string& text : f.call_path) json.string(text);
    json.end_array().key("statistics");
    write_statistics(json, f.statistics);
    json.key("most_severe");
    write_instances(json, f.most_severe);
    json.end_object();
  }
  json.end_array().end_object();
  return json.str() + "\n";
}

}  // namespace mora::report
