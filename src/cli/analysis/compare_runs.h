/// The runs that `mora compare` was given on the command line.
#pragma once

#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "base/error.h"
#include "report/compare/runs/run.h"

namespace mora::cli {

/// All runs of the command line, and which of them form one configuration.
struct GivenRuns {
  std::vector<compare::Run> runs;
  std::vector<compare::Configuration> configurations;
};

/// How runs are read: definitions of efficiency, and intervals that are left out.
struct RunReading {
  analysis::EfficiencyRules rules;
  std::vector<report::Exclusion> left_out;  ///< --without-id
};

/// Each word is a configuration: "RUN", "RUN,RUN,…", a quoted pattern "run-*", "NAME=RUN,…"; a RUN is an experiment, a
/// trace or a .cubex file. Without a NAME the configuration is A, B, C … Errors: usage, unreadable.
Result<GivenRuns> load_runs(const std::vector<std::string>& words, const RunReading& reading);

/// For --history: every run is a configuration with its own name as label; a directory that is no experiment stands for
/// the experiments in it, by date, then name. Patterns in it (mora pattern record) have no times: they are left out,
/// and standard error says so.
Result<GivenRuns> load_history(const std::vector<std::string>& words, const RunReading& reading);

/// One run: an experiment, a trace, or a .cubex file. Errors: usage, unreadable.
Result<compare::Run> load_run(const std::string& path, const RunReading& reading);

}  // namespace mora::cli
