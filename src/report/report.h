/// Reports: from an analysis to findings.json, text, Markdown, CSV and one HTML page.
/// Pure functions of their input; nothing here prints. Formats: docs/formats/findings.md (JSON and CSV).
#pragma once

#include <string>
#include <vector>

#include "analysis/metric_info.h"
#include "analysis/result.h"
#include "base/error.h"
#include "base/table/text_page.h"
#include "report/report_data.h"

namespace mora::report {

/// Everything a report says of an analysis. `infos` gives diagnosis and advice (analysis::all_metrics()); `more` are
/// facts of the manifest ("command", "mpi", "date").
ReportData build_report(const analysis::AnalysisResult& result, const std::vector<analysis::MetricInfo>& infos,
                        const std::map<std::string, std::string>& more = {});

/// The text of findings.json, also `mora report --json`.
std::string findings_json(const ReportData& data);
/// The other way. Errors: unreadable (not JSON, other schema, wrong types), with `name` as where.
Result<ReportData> read_findings(const std::string& json, const std::string& name);

/// Facts for `more` out of a manifest.json; unknown shapes give fewer facts, never an error.
std::map<std::string, std::string> manifest_facts(const std::string& json);

/// What was counted while recording: the rows of a manifest.json; unknown shapes give fewer rows, never an error.
std::vector<QualityRow> manifest_quality(const std::string& json);

/// For people and grep; `cube` adds the call path section and may be null.
std::string text_report(const ReportData& data, const cube::Cube* cube, const TextOptions& options);
/// A few lines for the end of `mora record` and `mora analyze`.
std::string short_text(const ReportData& data);
/// One sentence: is there a problem, and which.
std::string verdict(const ReportData& data);

/// For tickets and CI comments.
std::string markdown_report(const ReportData& data, unsigned top = 10);

/// metric,call_path,rank,value: one row for every non-zero cell, threads folded.
std::string csv_report(const ReportData& data, const cube::Cube& cube);

/// One self-contained page. `infos` becomes its glossary.
std::string html_report(const ReportData& data, const cube::Cube& cube, const std::vector<analysis::MetricInfo>& infos);

}  // namespace mora::report
