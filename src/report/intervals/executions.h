/// When each process and thread executed an interval, from the trace.
#pragma once

#include <utility>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "base/error.h"
#include "trace/source.h"

namespace mora::report {

/// By location: begin and end of each execution, in order of time. `source` is the trace with its intervals, as it was
/// analysed (trace/intervals/). An interval is what IntervalTable calls one: its place and id, and those of all
/// intervals around it. Reads every location once, several at a time. Errors: no location could be read.
Result<std::vector<std::vector<std::pair<Nanoseconds, Nanoseconds>>>> executions_of(
    trace::Source& source, const analysis::IntervalTable& table, std::size_t interval);

}  // namespace mora::report
