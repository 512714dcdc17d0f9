/// In which order the locks of windows were held: known before anything is replayed.
#pragma once

#include <optional>
#include <vector>

#include "replay/waiting/under_way.h"

namespace mora::replay {

/// Locks of one window at one target in their order (trace/links/lock_order.h), in groups that follow each other: one
/// exclusive epoch, or shared ones between two exclusive ones.
struct LockGroup {
  std::uint32_t pending = 0;  ///< epochs not yet released
  bool is_first = false;      ///< of its window and target: there is none before it
  Nanoseconds released = 0;
};
struct LockPlace {
  std::uint32_t group = no_id;  ///< no_id: not ordered
  bool at_lock = false;  ///< the trace waited in the call that asks for the lock, else in the one that releases it
};
struct LockOrder {
  std::vector<LockGroup> groups;               ///< the one before a group is the one that it waits for
  std::vector<std::vector<LockPlace>> places;  ///< per location, per epoch
};

/// O(n log n) for n lock epochs. Locks on all targets and with MPI_MODE_NOCHECK are not ordered (Mora's rule
/// ideal-network).
LockOrder order_locks(const std::vector<LocationActions>& locations);

/// Who holds and who waits while the locations run. O(1) per event. Times in ns. Not thread-safe.
class HeldLocks {
 public:
  explicit HeldLocks(LockOrder order) : order_(std::move(order)), waiting_(order_.groups.size()) {}

  /// Whether the epoch waits for the group before its own, and in this of its two calls.
  bool waits(trace::LocationId location, std::uint32_t epoch, bool at_lock) const {
    const LockPlace& place = order_.places[location][epoch];
    return place.group != no_id && place.at_lock == at_lock && !order_.groups[place.group].is_first;
  }
  /// When the group before was released, of an epoch that waits for it; nothing: `location` is woken when it is.
  std::optional<Nanoseconds> released_before(trace::LocationId location, std::uint32_t epoch);
  /// The epoch is over; `woken` gets those that wait for its group, if it was the last of that.
  void release(trace::LocationId location, std::uint32_t epoch, Nanoseconds now, Woken& woken);

 private:
  LockOrder order_;
  std::vector<std::vector<trace::LocationId>> waiting_;  ///< per group
};

}  // namespace mora::replay
