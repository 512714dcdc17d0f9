/// What the engine calls: all stages of causes over its partitions, with the exchanges between them.
#pragma once

#include <functional>

#include "analysis/carrier/carrier.h"
#include "analysis/causes/causes.h"

namespace mora::analysis {

/// `partitions`: one per local partition of the carrier, in its order. `each` runs a task per local partition. `slice`:
/// how many waits of a partition ask at a time. `check`: asked between slices whether to go on.
/// Collective over all processes of the carrier; fails everywhere if it fails anywhere (the carrier's error). Not
/// thread-safe: `each` brings the threads.
Result<void> find_causes(std::vector<std::unique_ptr<PartitionCauses>>& partitions, Carrier& carrier,
                         std::uint64_t slice, const std::function<void(const std::function<void(std::size_t)>&)>& each,
                         const std::function<Result<void>()>& check);

}  // namespace mora::analysis
