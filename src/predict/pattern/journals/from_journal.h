/// Journals that were recorded in pattern mode (MORA_PATTERN=1; docs/formats/journal.md) to a pattern trace.
#pragma once

#include <string>

#include "base/error.h"
#include "base/progress.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// All journals under `directory`/journal, of one job (of several: the largest, the others are named in the quality
/// table). Communicators get names that all ranks agree on: mini_comm_<event>_<colour> for what an application made,
/// events numbered in the order in which the lowest rank met them. Errors (unreadable): no journal there.
Result<PatternTrace> read_pattern_journals(const std::string& directory, Origin origin,
                                           const ProgressCallback& progress = {});

}  // namespace mora::predict
