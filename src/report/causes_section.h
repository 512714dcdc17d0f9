/// Section of the text report: delay costs and the critical path.
#pragma once

#include "base/table/text_page.h"
#include "cube/cube.h"
#include "report/data/report_data.h"

namespace mora::report {

/// Delay costs by call path and rank, and the critical path. Leaves the page as it is when there is nothing to say.
void causes_section(const ReportData& data, const cube::Cube& cube, TextPage& page);

}  // namespace mora::report
