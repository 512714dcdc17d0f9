/// Where no cause stands out: over how many causes, places and ranks what is lost is spread.
#pragma once

#include <string>

#include "report/data/report_data.h"

namespace mora::report {

/// Sentences that belong before those of the cause that opens a report, with a blank at the end; empty if a cause has
/// a fifth of what is lost, or if little is lost. Pure function.
std::string spread_words(const ReportData& data);

}  // namespace mora::report
