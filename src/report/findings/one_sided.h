/// One-sided communication beyond times: rules of MPI that were broken, and who transferred how much to whom.
#pragma once

#include <string>
#include <vector>

#include "base/table/text_page.h"
#include "report/data/report_data.h"

namespace mora::report {

/// The broken rules and the transfers of an analysis, in the order in which it has them.
std::vector<Check> checks_of(const analysis::AnalysisResult& result);
std::vector<Transfer> transfers_of(const analysis::AnalysisResult& result);

/// `mora report --transfers`: origin,target,kind,operations,bytes.
std::string transfers_csv(const ReportData& data);
std::string transfers_json(const ReportData& data);
/// A table for people.
std::string transfers_text(const ReportData& data, const TextOptions& options);

/// Section of the text report: nothing if no rule was broken.
void checks_section(const ReportData& data, TextPage& page);

}  // namespace mora::report
