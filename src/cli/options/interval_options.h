/// The options of verbs that analyse: what counts as an interval (trace/intervals/), and whether the trace is replayed
/// on an ideal network.
#pragma once

#include <vector>

#include "analysis/analyze.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// Fills AnalyzeOptions::intervals and ideal_network. Errors (usage): an unknown word of --phases.
Result<void> read_interval_options(const Arguments& arguments, analysis::AnalyzeOptions& options);

/// The rows for Verb::options.
std::vector<Option> interval_options();

}  // namespace mora::cli
