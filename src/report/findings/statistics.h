/// How long single waits were: per wait state and per finding, like Scalasca's trace.stat.
#pragma once

#include <string>

#include "analysis/result.h"
#include "base/table/text_page.h"
#include "report/data/report_data.h"

namespace mora::report {

/// Rounded down to a nanosecond. Precondition: count > 0.
inline Nanoseconds mean_of(const analysis::WaitStatistics& waits) {
  return waits.sum / static_cast<Nanoseconds>(waits.count);
}

/// Tables for people: wait states, findings, the most severe waits of each wait state.
std::string statistics_text(const ReportData& data, const TextOptions& options);
/// metric,call_path,count,sum,min,q1,median,q3,max,mean: an empty call path is the whole wait state.
std::string statistics_csv(const ReportData& data);
/// { "metrics": [ … ], "findings": [ … ] } with the fields of findings.json.
std::string statistics_json(const ReportData& data);
/// Section of the text report, by wait state: nothing if there are no statistics.
void statistics_section(const ReportData& data, TextPage& page);

}  // namespace mora::report
