/// Locks of a window at a target are in the order of trace/links/lock_order.h and grouped into exclusive epochs and
/// runs of shared ones; whether the wait was in the call that asks for the lock or in the one that releases it follows
/// from the recorded times. O(n log n).
#include "replay/waiting/lock_groups.h"

#include <algorithm>
#include <map>

namespace mora::replay {

/// Epochs on one target in their order; an exclusive epoch, or an epoch after an exclusive one, begins a new group. The
/// wait is placed in the call that asks for the lock if the group before had released by its end (in the trace), else
/// in the one that releases it.
LockOrder order_locks(const std::vector<LocationActions>& locations) {
  LockOrder order;
  order.places.resize(locations.size());
  std::map<std::pair<trace::WindowId, std::uint32_t>, std::vector<trace::LockTurn>> targets;
  for (trace::LocationId l = 0; l < locations.size(); ++l) {
    order.places[l].resize(locations[l].locks.size());
    for (const LockEpoch& epoch : locations[l].locks) {
      if (epoch.ordered) targets[{epoch.window, epoch.target}].push_back(epoch.turn);
    }
  }
  for (auto& [target, turns] : targets) {
    trace::order_locks(turns);
    // When the group before was released at the latest, in the trace. An epoch that waits in its release releases
    // there, too.
    Nanoseconds before = INT64_MIN, here = INT64_MIN;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const LockEpoch& e = locations[turns[i].location].locks[turns[i].number];
      if (i == 0 || e.turn.exclusive || turns[i - 1].exclusive) {
        before = here;
        here = INT64_MIN;
        order.groups.push_back({0, i == 0, 0});
      }
      ++order.groups.back().pending;
      LockPlace& place = order.places[turns[i].location][turns[i].number];
      place.group = static_cast<std::uint32_t>(order.groups.size() - 1);
      place.at_lock = order.groups.back().is_first || before <= e.granted_by;
      here = std::max(here, place.at_lock ? e.turn.unlock : e.release_leave);
    }
  }
  return order;
}

std::optional<Nanoseconds> HeldLocks::released_before(trace::LocationId location, std::uint32_t epoch) {
  const std::uint32_t before = order_.places[location][epoch].group - 1;
  if (order_.groups[before].pending == 0) return order_.groups[before].released;
  waiting_[before].push_back(location);
  return std::nullopt;
}

void HeldLocks::release(trace::LocationId location, std::uint32_t epoch, Nanoseconds now, Woken& woken) {
  const std::uint32_t number = order_.places[location][epoch].group;
  if (number == no_id) return;
  LockGroup& group = order_.groups[number];
  group.released = std::max(group.released, now);
  if (--group.pending > 0) return;
  woken.insert(woken.end(), waiting_[number].begin(), waiting_[number].end());
  waiting_[number].clear();
}

}  // namespace mora::replay
