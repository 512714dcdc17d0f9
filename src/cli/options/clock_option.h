/// The options of verbs that correct clocks: --correct-clocks WHEN, --min-latency LIST (docs/user/clocks.md).
#pragma once

#include <cstdint>
#include <string>

#include "cli/command/verb.h"
#include "trace/clock/correct_clocks.h"
#include "trace/view/view.h"

namespace mora::cli {

/// Errors (usage): an unknown WHEN, times that are no durations.
Result<trace::ClockOptions> clock_options(const Arguments& arguments, const std::string& default_when);

/// Opens the trace that the arguments name, at the times that their options ask for. Errors: of the options
/// (usage), of open_trace(), and of correct_clocks().
Result<trace::ClockCorrection> open_at_corrected_times(const Arguments& arguments, const std::string& default_when,
                                                       const ProgressCallback& progress = {});

/// Options of a view of that trace. The index is kept between runs only if the times are the trace's own.
trace::ViewOptions view_of(const Arguments& arguments, trace::RmaModel model, const trace::ClockCorrection& correction);

/// --application N; 0 = not given. Errors (usage): no number from 1.
Result<std::uint64_t> application_of(const Arguments& arguments);
Option application_option();
/// The rows of both options for Verb::options.
Option correct_clocks_option(const char* default_when);
Option min_latency_option();

}  // namespace mora::cli
