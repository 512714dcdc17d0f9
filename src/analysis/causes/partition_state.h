/// What a partition keeps between its stages: of causes.cpp and settle.cpp, nobody else's.
#pragma once

#include <memory>
#include <span>

#include "analysis/causes/causes.h"
#include "analysis/causes/rejected_points.h"
#include "analysis/core/kept_waits.h"
#include "analysis/storage/packed.h"

namespace mora::analysis {

struct PartitionCauses::Local {
  CauseLocation at;
  const Timeline* timeline = nullptr;
  std::unique_ptr<KeptWaits> kept;  ///< until take_waits is through
  WaitList waits;
  std::unique_ptr<Activity> activity;
  RejectedPoints rejected;
  std::size_t asked = 0;      ///< of the waits
  Activity::Place near_path;  ///< where the critical path was last charged
};

/// What weigh() found and settle() needs again, once for waits that are alike, in the order in which partition 0
/// received it.
struct PartitionCauses::Delays {
  /// `weight`: D + W without what the cause could have avoided; `amounts`: the d(c) > 0 of `paths`, which are global.
  void put(cube::LocationId cause, Nanoseconds weight, std::span<const cube::CallPathId> paths,
           std::span<const Nanoseconds> amounts) {
    ++count;
    all.put(cause, weight, paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) all.put(paths[i], amounts[i]);
  }
  std::uint64_t count = 0;
  Packed all;                 ///< 10 to 20 bytes for a delay in one call path
  ActivityWindow window;      ///< of the waiters
  std::size_t near_wait = 0;  ///< of the waiter, where the last question was
  struct Level {
    const Local* of = nullptr;
    Nanoseconds time = 0;
    Nanoseconds after = 0;  ///< WaitList::after_waiting_at
    std::size_t wait = 0;   ///< first that ends after it
  } level;                  ///< of the last question
  Tally tally;
};

}  // namespace mora::analysis
