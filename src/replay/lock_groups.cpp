/// Locks of a window at a target are sorted by release and grouped into exclusive epochs and runs of shared ones;
/// whether the wait was in the call that asks for the lock or in the one that releases it follows from the recorded
/// times. O(n log n).
#include "replay/lock_groups.h"

#include <algorithm>
#include <tuple>

namespace mora::replay {

/// Epochs on one target in order of release; an exclusive epoch, or an epoch after an exclusive one, begins a new
/// group. The wait is placed in the call that asks for the lock if the group before had released by its end (in the
/// trace), else in the one that releases it.
LockOrder order_locks(const std::vector<LocationActions>& locations) {
  struct Entry {
    const LockEpoch* epoch;
    trace::LocationId location;
    std::uint32_t number;
  };
  LockOrder order;
  order.places.resize(locations.size());
  std::vector<Entry> entries;
  for (trace::LocationId l = 0; l < locations.size(); ++l) {
    const auto& locks = locations[l].locks;
    order.places[l].resize(locks.size());
    for (std::uint32_t n = 0; n < locks.size(); ++n) {
      if (locks[n].ordered) entries.push_back({&locks[n], l, n});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return std::tuple(x.epoch->window, x.epoch->target, x.epoch->release_leave, x.location, x.number) <
           std::tuple(y.epoch->window, y.epoch->target, y.epoch->release_leave, y.location, y.number);
  });
  // When the group before was released at the latest, in the trace. An epoch that waits in its release releases there,
  // too.
  Nanoseconds before = 0, here = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LockEpoch& e = *entries[i].epoch;
    const bool is_first =
        i == 0 || entries[i - 1].epoch->window != e.window || entries[i - 1].epoch->target != e.target;
    if (is_first || e.exclusive || entries[i - 1].epoch->exclusive) {
      before = here;
      here = INT64_MIN;
      order.groups.push_back({0, is_first, 0});
    }
    ++order.groups.back().pending;
    LockPlace& place = order.places[entries[i].location][entries[i].number];
    place.group = static_cast<std::uint32_t>(order.groups.size() - 1);
    place.at_lock = order.groups.back().is_first || before <= e.granted_by;
    here = std::max(here, place.at_lock ? e.release_enter : e.release_leave);
  }
  return order;
}

}  // namespace mora::replay
