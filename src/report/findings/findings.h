/// Findings: from an analysis to the data of all reports, and findings.json (docs/formats/findings.md) both ways.
/// Pure functions of their input; nothing here prints.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric_info.h"
#include "analysis/result.h"
#include "base/error.h"
#include "report/data/report_data.h"

namespace mora::report {

/// Everything a report says of an analysis. `infos` gives diagnosis and advice (analysis::all_metrics()); `more` are
/// facts of the manifest ("command", "mpi", "date").
ReportData build_report(const analysis::AnalysisResult& result, const std::vector<analysis::MetricInfo>& infos,
                        const std::map<std::string, std::string>& more = {});

/// Totals of all metrics of a cube, without statistics of single waits.
std::vector<MetricRow> metric_rows(const cube::Cube& cube, std::uint32_t ranks);

/// The text of findings.json, also `mora report --json`.
std::string findings_json(const ReportData& data);
/// The other way, in one pass that keeps one finding or metric at a time beside its result. `passed` is called now and
/// then: what was read so far is not needed again. Errors: unreadable (not JSON, other schema, wrong types), with
/// `name` as where.
Result<ReportData> read_findings(
    std::string_view json, const std::string& name, const std::function<void()>& passed = [] {});

/// Facts for `more` out of a manifest.json; unknown shapes give fewer facts, never an error.
std::map<std::string, std::string> manifest_facts(const std::string& json);

/// What was counted while recording: the rows of a manifest.json; unknown shapes give fewer rows, never an error.
std::vector<QualityRow> manifest_quality(const std::string& json);

}  // namespace mora::report
