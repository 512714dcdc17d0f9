/// The results of one interval as if it were the program: for verbs that answer about the program only.
#pragma once

#include <cstddef>

#include "analysis/efficiency/interval_table.h"
#include "cube/cube.h"
#include "report/data/report_data.h"

namespace mora::report {

struct IntervalResults {
  ReportData data;
  cube::Cube cube;  ///< what `data` is made from
};

/// The interval's call paths, metrics and findings (of findings that lie in it in part: that part, and their causes in
/// proportion), and what its delays cost wherever others waited for them. `run.program` is its name and number. Checks,
/// transfers and statistics of single waits are not known of an interval. `table`: of `cube`. Pure.
IntervalResults of_interval(const ReportData& data, const cube::Cube& cube, const analysis::IntervalTable& table,
                            std::size_t interval);

}  // namespace mora::report
