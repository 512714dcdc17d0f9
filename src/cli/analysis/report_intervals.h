/// `mora report --intervals`, `--why`, `--pop`: efficiency of the program and its intervals.
#pragma once

#include "analysis/efficiency/interval_table.h"
#include "base/error.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// The interval that --interval names. Errors: usage, with what there is.
Result<std::size_t> interval_of(const Arguments& arguments, const analysis::IntervalTable& table);

/// Whether one of the three is asked for. Errors (usage): two of them, options that belong to them without them, or
/// with them those of other reports.
Result<bool> asks_for_intervals(const Arguments& arguments);

/// Runs the report. Reads the analysis only, but for --why also the trace, if it is still there. Errors: usage, with
/// what there is; unreadable.
Result<int> run_report_intervals(const Arguments& arguments);

}  // namespace mora::cli
