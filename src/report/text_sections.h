/// Sections of the text report that have files of their own. Each leaves the page as it is when it has nothing to say.
#pragma once

#include "base/table/text_page.h"
#include "cube/cube.h"
#include "report/one_sided.h"
#include "report/report_data.h"

namespace mora::report {

/// How long single waits were, by wait state (statistics.cpp).
void statistics_section(const ReportData& data, TextPage& page);

/// Delay costs by call path and rank, and the critical path (causes_section.cpp).
void causes_section(const ReportData& data, const cube::Cube& cube, TextPage& page);

/// Productive and lost time of the program, and the intervals that lost most (intervals/efficiency_section.cpp).
void efficiency_section(const cube::Cube& cube, TextPage& page);

}  // namespace mora::report
