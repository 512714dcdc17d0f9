/// The sweep: all waits, processed once, backwards in time. Partition 0 does it for all partitions. The algorithm is
/// described in sweep.cpp; here are the records that cross partitions. All times in ns.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/metric_info.h"
#include "analysis/result.h"
#include "analysis/storage/packed.h"
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

/// What partition 0 received, in the order in which it received it: 20 to
/// 40 bytes for a group and 6 to 12 for each of its waits, more where times are above a second.
class CollectedWaits {
 public:
  /// The next group, of as many waits as it says.
  void add(const WeighedGroup& group, BufferReader& waits);

  std::uint64_t groups() const { return count_; }
  /// use(end, place) of each group, in order; the place is for read().
  template <class Use>
  void each_group(const Use& use) const {
    Packed::Reader in(heads_);
    Nanoseconds end = 0;
    Packed::Place place = 0;
    for (std::uint64_t left = count_; left > 0; --left) {
      const auto [later, behind] = in.take<2>();
      end += unfolded(later);
      place += behind;
      use(end, place);
    }
  }
  /// The group that begins there, and take(WeighedWait) for each of its waits; returns which it is, from 0.
  template <class Take>
  std::uint64_t read(Packed::Place place, Nanoseconds end, WeighedGroup& group, const Take& take) const;

  std::vector<std::pair<std::uint32_t, std::uint64_t>> runs;  ///< partition, how many of its groups follow
  std::vector<Lifetime> lives;

 private:
  Packed heads_;  ///< of each group: how much later than the one before it ends, how many bytes behind it it begins
  Packed groups_;
  std::uint64_t count_ = 0;
  Nanoseconds last_end_ = 0;
  Packed::Place last_place_ = 0;
};

template <class Take>
std::uint64_t CollectedWaits::read(Packed::Place place, Nanoseconds end, WeighedGroup& group, const Take& take) const {
  Packed::Reader in(groups_, place);
  const auto [number, kind, cause, length, delayed, waited, own, indirect] = in.take<8>();
  group.waits = static_cast<std::uint32_t>(kind >> 8);
  group.delay = static_cast<DelayClass>(kind >> 1 & 0x7F);
  group.is_own = (kind & 1) != 0;
  group.cause = static_cast<cube::LocationId>(cause);
  group.end = end;
  group.from = end - static_cast<Nanoseconds>(length);
  group.delayed = static_cast<Nanoseconds>(delayed);
  group.waited = static_cast<Nanoseconds>(waited);
  group.own = static_cast<Nanoseconds>(own);
  group.indirect = static_cast<Nanoseconds>(indirect);
  group.largest = 0;
  for (std::uint32_t left = group.waits; left > 0; --left) {
    const auto [amount, waiter, call_path] = in.take<3>();
    const WeighedWait wait{static_cast<Nanoseconds>(amount), static_cast<cube::LocationId>(waiter),
                           static_cast<cube::CallPathId>(call_path)};
    group.largest = std::max(group.largest, wait.amount);
    take(wait);
  }
  return number;
}

}  // namespace mora::analysis
