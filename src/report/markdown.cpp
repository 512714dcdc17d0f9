/// The report as Markdown: verdict, findings, metrics and data quality, for tickets and comments in CI.
#include <algorithm>

#include <fmt/format.h>

#include "base/cell_text.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/tree_order.h"

namespace mora::report {
std::string markdown_report(const ReportData& data, unsigned top) {
  const Nanoseconds total = data.total_time();
  std::string out = fmt::format("## Mora: {} on {} ranks\n\n**{}**\n\n", markdown_cell(data.run.program),
                                data.run.ranks, markdown_cell(verdict(data)));
  for (const auto& [key, value] : data.run.more) out += fmt::format("* {}: {}\n", key, markdown_cell(value));
  out += fmt::format("* wall time: {}\n* trace: {} ({}, {} events)\n\n", time_for_people(data.run.wall),
                     markdown_cell(data.run.trace), markdown_cell(data.run.trace_format), data.run.events);

  const std::size_t shown = top == 0 ? data.findings.size() : std::min<std::size_t>(top, data.findings.size());
  out += "### Findings\n\n";
  if (data.findings.empty()) out += "No wait state was found.\n";
  if (shown > 0)
    out += "| # | waiting/s | % of all ranks' time | wait state | what happens |\n|---|---:|---:|---|---|\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& f = data.findings[i];
    out += fmt::format("| {} | {} | {} | {} | {} |\n", f.id, seconds_column(f.severity), share(f.severity, total),
                       markdown_cell(f.name), markdown_cell(f.summary));
  }
  if (shown < data.findings.size()) out += fmt::format("\n{} of {} findings shown.\n", shown, data.findings.size());

  out += "\n### Metrics\n\n| metric | value | % of all ranks' time |\n|---|---:|---:|\n";
  for (const auto& [row, level] : tree_order(data.metrics)) {
    const MetricRow& m = *row;
    if (m.inclusive == 0) continue;
    std::string indent;
    for (std::size_t i = 0; i < std::min<std::size_t>(level, 15); ++i) indent += "&emsp;";
    out += fmt::format("| {}{} | {} | {} |\n", indent, markdown_cell(m.name), amount_with_unit(m.inclusive, m.unit),
                       m.unit == cube::Unit::seconds ? share(m.inclusive, total) : "");
  }

  out += "\n### Data quality\n\n";
  if (data.quality.empty()) out += "Nothing was lost or repaired.\n";
  for (const QualityRow& row : data.quality) {
    out += fmt::format("* **{}**: {} × {}{}. {} {}\n", to_string(row.severity), row.count, markdown_cell(row.kind),
                       row.where.empty() ? "" : " in " + markdown_cell(row.where), markdown_cell(row.what),
                       markdown_cell(row.remedy));
  }
  return out;
}

}  // namespace mora::report
