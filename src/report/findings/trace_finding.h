/// The events behind a number: every single wait of a finding with the records of the waiting call and of the call that
/// it waited for, and the arithmetic that makes the amount.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/result.h"
#include "base/error.h"
#include "report/data/report_data.h"
#include "trace/view/view.h"

namespace mora::report {

/// A call and its records, by their numbers in the view.
struct TracedCall {
  cube::LocationId location = 0;
  Nanoseconds enter = 0, leave = 0;
  std::vector<trace::Position> events;  ///< its ENTER, records, EXIT; of calls with many the first and the last ones
  std::uint64_t left_out = 0;
};

/// One wait with the calls of the waiting and the causing rank.
struct TracedWait {
  analysis::WorstInstance wait;
  std::string arithmetic;                 ///< "min(16, 20) - 10 = 6"
  std::optional<TracedCall> call, cause;  ///< nullopt: the view has no such call
};

/// A finding with its single waits; `count` and `sum` are of all, also of those that are not listed.
struct TracedFinding {
  Finding finding;
  std::vector<TracedWait> waits;  ///< by time; at most as many as asked for
  std::uint64_t count = 0;
  Nanoseconds sum = 0;  ///< of all, also those left out
};

/// `result` has `followed` the finding's cell; `limit` 0 = all. Errors: internal, if the waits do not sum to the
/// severity.
Result<TracedFinding> trace_finding(const trace::View& view, const analysis::AnalysisResult& result,
                                    const Finding& finding, std::uint64_t limit);

/// Needs the view that the finding was traced in.
std::string traced_finding_text(const trace::View& view, const TracedFinding& traced);
std::string traced_finding_json(const trace::View& view, const TracedFinding& traced);

}  // namespace mora::report
