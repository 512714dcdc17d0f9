/// The sweep: all waits, processed once, backwards in time. Partition 0 does it for all partitions. The algorithm is
/// described in sweep.cpp; here are the records that cross partitions. All times in ns.
#pragma once

#include <utility>
#include <vector>

#include "analysis/metric_info.h"
#include "analysis/result.h"
#include "analysis/storage/chunked.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::analysis {

/// Nanoseconds in units of 2^-32, for costs that pass through many hands before they are rounded.
__extension__ typedef unsigned __int128 LongTerm;

/// Waits that are alike: of one class, for one cause, that end together, with the delay D and the waiting W that the
/// cause had in its interval [from, end]. Most are one wait; a queue is a few of these.
struct WeighedGroup {
  Nanoseconds end = 0;
  Nanoseconds from = 0;
  Nanoseconds delayed = 0;
  Nanoseconds waited = 0;
  Nanoseconds own = 0;       ///< of `waited`: what the cause could have avoided by itself; 0 if these are several waits
  Nanoseconds indirect = 0;  ///< the part of their amounts that falls on `waited`
  Nanoseconds largest = 0;   ///< of their amounts
  cube::LocationId cause = 0;
  std::uint32_t waits = 0;
  DelayClass delay = DelayClass::none;
  bool is_own = false;  ///< the waiter could have avoided it: all of it is delayed
};
/// Of a group, ascending by waiter.
struct WeighedWait {
  Nanoseconds amount = 0;
  cube::LocationId waiter = 0;
  cube::CallPathId call_path = 0;
};

/// What later waits of one class attribute to those of a group, without the part that goes on to what their cause could
/// have avoided.
struct ClassCost {
  DelayClass delay = DelayClass::none;
  LongTerm amount = 0;
};

/// First and last time of a location; equal if it has no events.
struct Lifetime {
  cube::LocationId location = 0;
  Nanoseconds first = 0;
  Nanoseconds last = 0;
};

/// What settle() adds up for one cell, in units of 2^-32 ns, before round_off().
struct LongTermCost {
  DelayClass delay = DelayClass::none;
  cube::CallPathId call_path = 0;
  cube::LocationId location = 0;
  LongTerm amount = 0;
};

/// What partition 0 received, in the order in which it received it.
struct CollectedWaits {
  Chunked<WeighedGroup> groups;
  Chunked<WeighedWait> waits;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> runs;  ///< partition, how many of its groups follow
  std::vector<Lifetime> lives;
};

}  // namespace mora::analysis
