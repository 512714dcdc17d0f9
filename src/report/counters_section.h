/// Section of the text report: what counters of the trace counted, by call path.
#pragma once

#include "base/table/text_page.h"
#include "cube/cube.h"

namespace mora::report {

/// Of each counter (analysis/metrics/counted.h) its sum, and the call paths that have most of it. Leaves the page as it
/// is when there is none.
void counters_section(const cube::Cube& cube, TextPage& page);

}  // namespace mora::report
