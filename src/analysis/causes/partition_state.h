/// What a partition keeps between its stages: of causes.cpp and settle.cpp, nobody else's.
#pragma once

#include <memory>

#include "analysis/causes/causes.h"
#include "analysis/causes/rejected_points.h"
#include "analysis/core/kept_waits.h"

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
  struct Delay {
    cube::LocationId cause = 0;
    std::uint32_t count = 0;  ///< amounts of `parts` that belong to it
    Nanoseconds weight = 0;   ///< D + W without what the cause could have avoided
  };
  Chunked<Delay> all;
  Chunked<cube::CallPathId> paths;  ///< of d(c) > 0, global
  Chunked<Nanoseconds> parts;       ///< d(c)
  ActivityWindow window;            ///< of the waiters
  std::size_t near_wait = 0;        ///< of the waiter, where the last question was
  struct Level {
    const Local* of = nullptr;
    Nanoseconds time = 0;
    Nanoseconds after = 0;  ///< WaitList::after_waiting_at
    std::size_t wait = 0;   ///< first that ends after it
  } level;                  ///< of the last question
  Tally tally;
};

}  // namespace mora::analysis
