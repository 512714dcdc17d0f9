/// The answers about one run that come from its analysis, for a server and for a page without one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "analysis/efficiency/interval_table.h"
#include "cli/analysis/analysed.h"
#include "serve/site.h"
#include "serve/traffic/traffic.h"
#include "trace/intervals/interval_source.h"

namespace mora::cli {

/// When the locations of a trace, as it was analysed, execute the interval of this number ("0.2"). Errors: usage;
/// reading the trace.
using ExecutionsOf = std::function<Result<serve::Executions>(trace::MarkedSource&, const std::string&)>;

struct Results {
  Analysed analysed;
  analysis::IntervalTable table;
  /// Answers by name that were made at once, where processes are so many that the table does not keep their amounts.
  std::map<std::string, std::string> texts;
};

/// Findings, or at least the totals of a lone .cubex file. Errors: unreadable.
Result<std::unique_ptr<Results>> results_of(const std::string& path);

/// What other verbs print with --json, made by the same functions, when it is asked for; names begin with `prefix`. The
/// results must outlive the site.
void add_results(serve::Site& site, const Results& results, const std::string& prefix = "");

/// Of the intervals of these results, which must outlive it.
ExecutionsOf executions_in(const Results& results);

/// What `mora compare` finds between two runs, in words and as `mora compare --json` prints it, and the difference of
/// their metrics (other - one). Errors: a metric has different units in them.
Result<void> add_comparison(serve::Site& site, const Results& one, const std::string& path, const Results& other,
                            const std::string& other_path);

/// What `mora predict --on MACHINE --check --what-if --json` prints of the trace at `path`, made when it is first asked
/// for. Errors: the machine model cannot be read.
Result<void> add_prediction(serve::Site& site, const std::string& path, const std::string& machine,
                            const std::string& prefix = "");

/// What there is to see beside one run.
void add_session(serve::Site& site, bool is_compared, bool is_predicted);

/// The run in one self-contained page, with the timeline of the trace at `path` if it can be opened, and a prediction
/// on `machine` if it is not empty. Errors: the trace is damaged; those of add_prediction(); this Mora has no viewer.
Result<std::string> page_of(const Results& results, const std::string& path, const std::string& machine);

}  // namespace mora::cli
