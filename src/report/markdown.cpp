/// The report as Markdown: verdict, findings, metrics and data quality, for tickets and comments in CI.
#include <algorithm>

#include <fmt/format.h>

#include "base/table/markdown_page.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/tree_order.h"

namespace mora::report {

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
  const std::size_t shown = top == 0 ? data.findings.size() : std::min<std::size_t>(top, data.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& f = data.findings[i];
    findings.add(
        {f.id, Cell::figure(seconds_column(f.severity)), Cell::figure(share(f.severity, total)), f.name, f.summary});
  }
  if (data.findings.empty()) page.paragraph("No wait state was found.");
  if (shown > 0) page.table(findings);
  if (shown < data.findings.size())
    page.paragraph(fmt::format("{} of {} findings shown.", shown, data.findings.size()));

  page.heading(3, "Metrics");
  Table metrics({words("metric"), number("value"), number("% of all ranks' time")});
  for (const auto& [row, level] : tree_order(data.metrics)) {
    const MetricRow& m = *row;
    if (m.inclusive == 0) continue;
    std::string indent;
    for (std::size_t i = 0; i < std::min<std::size_t>(level, 15); ++i) indent += "&emsp;";
    metrics.add({Cell::figure(indent + markdown_cell(m.name)), Cell::figure(amount_with_unit(m.inclusive, m.unit)),
                 Cell::figure(m.unit == cube::Unit::seconds ? share(m.inclusive, total) : "")});
  }
  page.table(metrics);

  page.heading(3, "Data quality");
  if (data.quality.empty()) page.paragraph("Nothing was lost or repaired.");
  for (const QualityRow& row : data.quality) {
    page.item(fmt::format("**{}**: {} × {}{}. {} {}", to_string(row.severity), row.count, markdown_cell(row.kind),
                          row.where.empty() ? "" : " in " + markdown_cell(row.where), markdown_cell(row.what),
                          markdown_cell(row.remedy)));
  }
  return page.take();
}

}  // namespace mora::report
