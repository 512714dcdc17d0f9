/// One-sided calls on a network that costs something: transfers as messages without a receiver's processor,
/// synchronisation as empty messages.
///
/// Idea (Mora's rule predicted-windows): a transfer is handed over like a message; its bytes leave its origin one
/// transfer after another, as those of messages enter a rank, and reach the target a latency later; what comes back
/// (of a get) enters the origin's own port. Calls that complete transfers wait for the latest. So all of it depends on
/// the origin's own calls only, and the times stay the least solution of equations in max and plus (costed_calls.h).
/// Cost: O(log windows x targets) per transfer. Limits: origins do not share the target's port.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "replay/actions/action.h"
#include "replay/costs/message_clock.h"
#include "replay/costs/network.h"

namespace mora::replay {

/// What one location has under way through windows. Times in ns.
class WindowTransfers {
 public:
  /// The call of `d` (of ActionKind::transfer) of `rank` is made at `now`, which becomes when its processor is free
  /// again.
  void begin(Nanoseconds& now, const Network& network, std::uint32_t rank, const Detail& d, MessageClock& clock) {
    const MessageCost there = eager(network.message(rank, d.peer, d.bytes));
    const Nanoseconds handed_over = clock.hand_over(now, there);
    const Nanoseconds left = leaving_.take(handed_over, there.port);
    const Nanoseconds there_at = saturated_sum(left, there.latency);
    Times times{there_at, left};
    if (d.replies) {
      const Nanoseconds back = clock.arrive(there_at, there_at, eager(network.message(d.peer, rank, d.received))).time;
      times = {back, back};
    }
    Times& last = latest_[{d.comm, d.peer}];
    last = {std::max(last.complete, times.complete), std::max(last.local, times.local)};
    if (d.vector != no_id) requested_[d.vector] = times.local;
  }
  /// When those that `d` (of ActionKind::transferred) waits for are complete; INT64_MIN: there are none.
  Nanoseconds complete(const Detail& d) {
    if (d.vector != no_id) {
      const auto found = requested_.extract(d.vector);
      return found.empty() ? INT64_MIN : found.mapped();
    }
    Nanoseconds latest = INT64_MIN;
    const auto first = latest_.lower_bound({d.comm, d.peer == no_id ? 0 : d.peer});
    for (auto at = first; at != latest_.end() && at->first.first == d.comm; ++at) {
      if (d.peer != no_id && at->first.second != d.peer) break;
      latest = std::max(latest, d.replies ? at->second.complete : at->second.local);
    }
    return latest;
  }

 private:
  struct Times {
    Nanoseconds complete = INT64_MIN;  ///< at the target, or with its result
    Nanoseconds local = INT64_MIN;     ///< the origin's buffer is free, or has the result
  };
  /// Targets take part in no transfer.
  static MessageCost eager(MessageCost cost) {
    cost.rendezvous = false;
    return cost;
  }
  Port leaving_;
  std::map<std::pair<trace::WindowId, std::uint32_t>, Times> latest_;  ///< by window, target
  std::unordered_map<std::uint32_t, Nanoseconds> requested_;           ///< by transfer, until they are waited for
};

}  // namespace mora::replay
