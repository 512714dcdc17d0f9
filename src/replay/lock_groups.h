/// In which order the locks of windows were held: known before anything is replayed.
#pragma once

#include <vector>

#include "replay/actions/action.h"

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

}  // namespace mora::replay
