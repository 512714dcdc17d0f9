/// Any source of a communication pattern by its path.
#pragma once

#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// A directory left by `mora pattern record` or `dryrun` (trace.mpt), a trace.mpt, a directory of text traces
/// (ti_traces, or one that contains it), or any trace that Mora reads (an experiment, OTF2 …: from_trace.h). Errors
/// (unreadable) say what was expected there.
Result<PatternTrace> open_pattern(const std::string& path, const ProgressCallback& progress = {});

/// The MPI library that the experiment at `path` was recorded with ("Open MPI v4.1.4 …"); empty if there is no manifest
/// that says it.
std::string recorded_library(const std::string& path);

}  // namespace mora::predict
