/// The report as Markdown: verdict, findings, metrics and data quality, for tickets and comments in CI.
#include <algorithm>

#include <fmt/format.h>

#include "base/table/markdown_page.h"
#include "base/text/quality_by_cause.h"
#include "report/data/figures.h"
#include "report/data/tree_order.h"
#include "report/losses/losses.h"
#include "report/report.h"

namespace mora::report {

namespace {

/// " Text." of a text that may have no full stop.
std::string further_sentence(const std::string& text) {
  return text.empty() ? "" : " " + markdown_cell(text) + (text.ends_with('.') ? "" : ".");
}

}  // namespace

std::string markdown_report(const ReportData& data, unsigned top) {
  const Nanoseconds total = data.total_time();
  MarkdownPage page;
  page.heading(2, fmt::format("Mora: {} on {} ranks", markdown_cell(data.run.program), data.run.ranks));
  page.paragraph("**" + markdown_cell(verdict(data)) + "**");
  for (const auto& [key, value] : data.run.more) page.item(key + ": " + markdown_cell(value));
  page.item("wall time: " + time_for_people(data.run.wall));
  page.item(fmt::format("trace: {} ({}, {} events)", markdown_cell(data.run.trace),
                        markdown_cell(data.run.trace_format), data.run.events));

  page.heading(3, "Findings");
  Table findings(
      {words("#"), number("waiting/s"), number("% of all ranks' time"), words("wait state"), words("what happens")});
  const auto groups = data.grouped_findings();
  const std::size_t shown = top == 0 ? groups.size() : std::min<std::size_t>(top, groups.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& f = *groups[i].whole;
    std::string name = f.name;
    for (const Finding* part : groups[i].parts)
      name += fmt::format("; of it {} {}", time_for_people(part->severity), part->name);
    findings.add(
        {f.id, Cell::figure(seconds_column(f.severity)), Cell::figure(share(f.severity, total)), name, f.summary});
  }
  if (data.findings.empty()) page.paragraph(markdown_cell(no_findings(data)));
  if (shown > 0) page.table(findings);
  if (shown < groups.size()) page.paragraph(fmt::format("{} of {} findings shown.", shown, groups.size()));

  for (const ProcessorFinding& finding : processor_findings(data))
    page.item(fmt::format("**{}**: {} {}", finding.name, markdown_cell(finding.summary), finding.advice));

  page.heading(3, "Metrics");
  Table metrics({words("metric"), number("value"), number("% of all ranks' time")});
  for (const auto& [row, level] : tree_order(data.metrics)) {
    const MetricRow& m = *row;
    const bool is_known = m.reason.empty();
    if (is_known ? m.inclusive == 0 : data.is_profile()) continue;
    std::string indent;
    for (std::size_t i = 0; i < std::min<std::size_t>(level, 15); ++i) indent += "&emsp;";
    metrics.add({Cell::figure(indent + markdown_cell(m.name)),
                 Cell::figure(is_known ? amount_with_unit(m.inclusive, m.unit) : "not computable"),
                 Cell::figure(is_known && m.unit == cube::Unit::seconds ? share(m.inclusive, total) : "")});
  }
  page.table(metrics);

  page.heading(3, "Data quality");
  if (data.quality.empty()) page.paragraph("Nothing was lost or repaired.");
  for (const QualityRow& row : by_cause(data.quality)) {
    page.item(fmt::format("**{}**: {} × {}{}.{}{}", to_string(row.severity), row.count, markdown_cell(row.kind),
                          row.where.empty() ? "" : " in " + markdown_cell(row.where), further_sentence(row.what),
                          further_sentence(row.remedy)));
  }
  return page.take();
}

}  // namespace mora::report
