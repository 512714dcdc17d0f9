/// Rule and cost: lock_chain.h.
#include "analysis/patterns/threads/lock_chain.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

void score_lock_chain(std::vector<LockHold>& holds, WaitSink& sink, std::uint64_t& unreleased) {
  std::sort(holds.begin(), holds.end(), [](const LockHold& a, const LockHold& b) {
    return std::tie(a.acquired, a.released, a.location, a.enter) <
           std::tie(b.acquired, b.released, b.location, b.enter);
  });
  // The last released of those before, and of those among them that are not shared.
  const LockHold* last = nullptr;
  const LockHold* last_alone = nullptr;
  const auto note = [](const LockHold*& latest, const LockHold& hold) {
    if (hold.released != INT64_MAX && (latest == nullptr || hold.released >= latest->released)) latest = &hold;
  };
  for (std::size_t k = 1; k < holds.size(); ++k) {
    const LockHold& hold = holds[k];
    note(last, holds[k - 1]);
    if (!holds[k - 1].shared) note(last_alone, holds[k - 1]);
    const LockHold* found = hold.shared ? last_alone : holds[k - 1].shared ? last : &holds[k - 1];
    if (found == nullptr) continue;
    const LockHold& before = *found;
    if (before.location == hold.location) continue;  // it held the lock itself: no one to wait for
    if (before.released == INT64_MAX) {
      ++unreleased;
      continue;
    }
    // The holder learns nothing of its follower; this is a synchronisation point of both.
    sink.sync_point(SyncPoint{hold.location, hold.enter, before.location, before.released});
    if (before.released > hold.acquired) sink.clock_violation(hold.location);
    if (hold.metric == cube::no_id || hold.broken) continue;
    const Nanoseconds amount = std::min(before.released, hold.acquired) - hold.enter;
    if (amount <= 0) continue;
    sink.add(Wait{hold.metric, hold.location, hold.call_path, hold.enter, amount, before.location,
                  before.release_call_path});
  }
}

}  // namespace mora::analysis
