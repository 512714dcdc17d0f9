/// Which accesses of different ranks and of different epochs conflict because nothing orders them.
#pragma once

#include <vector>

#include "analysis/core/waits.h"
#include "base/data_quality.h"
#include "trace/source.h"

namespace mora::analysis::checks {

/// Reads the whole trace once more, if there are any accesses, and tells `findings` those that conflict
/// (RmaRule::conflicting_access): no chain of messages, collectives, locks, epochs or atomics leads from the completion
/// of one to the issue of the other, whenever they took place. `accesses`: in_need_of_order(), in any order. Never
/// tells what is ordered; of several conflicts of one access it tells one. The same for every number of workers (0 =
/// usable cores). `memory`: AnalyzeOptions::memory. What cannot be read twice, or a full $TMPDIR, is a row of
/// `quality`.
void judge_unordered(trace::Source& source, std::vector<MetAccess> accesses, unsigned workers, std::uint64_t memory,
                     WaitSink& findings, DataQuality& quality);

}  // namespace mora::analysis::checks
