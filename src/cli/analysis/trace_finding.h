/// `mora analyze --trace-finding ID`: the events behind a finding's number.
#pragma once

#include "analysis/analyze.h"
#include "base/error.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// Analyses the trace twice, the second time keeping every wait of the finding, and prints text or JSON. Writes no
/// results. Errors: usage, if there is no such finding.
Result<int> run_trace_finding(const Arguments& arguments, const analysis::AnalyzeOptions& options);

}  // namespace mora::cli
