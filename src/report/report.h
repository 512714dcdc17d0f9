/// Reports: from findings to text, Markdown and CSV.
/// Pure functions of their input; nothing here prints. Formats: docs/formats/findings.md (CSV).
#pragma once

#include <string>
#include <vector>

#include "analysis/metric_info.h"
#include "base/table/text_page.h"
#include "report/data/report_data.h"

namespace mora::report {

/// For people and grep; `cube` adds the call path section and may be null.
std::string text_report(const ReportData& data, const cube::Cube* cube, const TextOptions& options);
/// A few lines for the end of `mora record` and `mora analyze`.
std::string short_text(const ReportData& data);

/// For tickets and CI comments.
std::string markdown_report(const ReportData& data, unsigned top = 10);

/// metric,call_path,rank,value: one row for every non-zero cell, threads folded.
std::string csv_report(const ReportData& data, const cube::Cube& cube);

/// For pages: the sentences of the verdict and of each cause, amounts in ns, and `infos` as glossary. `cube` may be
/// null.
std::string summary_json(const ReportData& data, const cube::Cube* cube,
                         const std::vector<analysis::MetricInfo>& infos);

}  // namespace mora::report
