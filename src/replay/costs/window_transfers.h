/// One-sided calls on a network that costs something: transfers at what was measured of them, else as messages without
/// a receiver's processor; synchronisation likewise, else as empty messages.
///
/// Idea (Mora's rule predicted-windows): a transfer is handed over like a message; its bytes leave its origin one
/// transfer after another, as those of messages enter a rank, and reach the target a latency later; what comes back
/// (of a get) enters the origin's own port. Calls that complete transfers wait for the latest. So all of it depends on
/// the origin's own calls only, and the times stay the least solution of equations in max and plus (costed_calls.h).
/// What transfers share with others (shared_transfers.h) serves them in order of time like messages; then those calls
/// also wait until they are served. A result comes back when its request would have come alone.
/// Cost: O(log windows x targets) per transfer. Limits: origins do not share the target's port.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "replay/actions/action.h"
#include "replay/costs/message_clock.h"
#include "replay/costs/network.h"
#include "replay/costs/shared_transfers.h"

namespace mora::replay {

/// What one location has under way through windows. Times in ns.
class WindowTransfers {
 public:
  /// The call of `d` (of ActionKind::transfer) of `rank` is made at `now`, which becomes when its processor is free
  /// again. `shared`: nullptr: the network shares nothing; else `number` is the location's next message.
  void begin(Nanoseconds& now, const Network& network, std::uint32_t rank, const Detail& d, MessageClock& clock,
             SharedTransfers* shared, trace::LocationId location, std::uint64_t& number) {
    const auto measured = network.window(d.window_call, rank, d.peer, d.replies ? d.received : d.bytes);
    const MessageCost there = measured ? *measured : eager(network.message(rank, d.peer, d.bytes));
    const Nanoseconds handed_over = clock.hand_over(now, there);
    // What was measured of one with a result is the whole way there and back, and its bytes come in.
    const bool is_whole = measured && d.replies;
    const Nanoseconds left = is_whole ? handed_over : leaving_.take(handed_over, there.port);
    const Nanoseconds there_at = is_whole ? handed_over : saturated_sum(left, there.latency);
    Times times{there_at, left};
    Target& target = targets_[{d.comm, d.peer}];
    std::vector<Asked>* asked = &target.asked;
    if (d.vector != no_id) {
      Requested& requested = requested_[d.vector];
      requested = {0, {d.comm, d.peer}, {}};
      asked = &requested.asked;
    }
    const auto share = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Nanoseconds begins,
                           Nanoseconds latency, Nanoseconds not_local) {
      if (shared == nullptr) return;
      uses_.clear();
      network.uses(from, to, bytes, uses_);
      if (uses_.empty()) return;
      const std::uint64_t id = std::uint64_t{1} << 63 | std::uint64_t{location} << 32 | (number & UINT32_MAX);
      shared->hand_over(id, begins, location, number++, false, 1, latency, uses_);
      asked->push_back({id, not_local});
    };
    if (!is_whole) share(rank, d.peer, d.bytes, handed_over, there.latency, there.latency);
    if (d.replies) {
      const MessageCost reply = is_whole ? there : eager(network.message(d.peer, rank, d.received));
      const Nanoseconds back = clock.arrive(there_at, there_at, reply).time;
      times = {back, back};
      share(d.peer, rank, d.received, there_at, reply.latency, 0);
    }
    target.latest.join(times);
    if (d.vector == no_id) return;
    requested_[d.vector].local = times.local;
    if (!asked->empty()) target.requests.push_back(d.vector);
  }
  /// What is shared has served all that `d` (of ActionKind::transferred) waits for. False: `location` is woken when it
  /// has to ask again.
  bool are_served(const Detail& d, SharedTransfers& shared, trace::LocationId location) {
    if (d.vector != no_id) {
      const auto found = requested_.find(d.vector);
      return found == requested_.end() || served(found->second, shared, location);
    }
    for (auto at = first_of(d); is_of(d, at); ++at) {
      if (!served(at->second, shared, location)) return false;
    }
    return true;
  }
  /// When those that `d` waits for are complete; INT64_MIN: there are none.
  Nanoseconds complete(const Detail& d) {
    if (d.vector != no_id) {
      const auto found = requested_.extract(d.vector);
      return found.empty() ? INT64_MIN : found.mapped().local;
    }
    Nanoseconds latest = INT64_MIN;
    for (auto at = first_of(d); is_of(d, at); ++at)
      latest = std::max(latest, d.replies ? at->second.latest.complete : at->second.latest.local);
    return latest;
  }

 private:
  using Key = std::pair<trace::WindowId, std::uint32_t>;  ///< window, target
  struct Times {
    Nanoseconds complete = INT64_MIN;  ///< at the target, or with its result
    Nanoseconds local = INT64_MIN;     ///< the origin's buffer is free, or has the result
    void join(const Times& other) {
      complete = std::max(complete, other.complete);
      local = std::max(local, other.local);
    }
  };
  struct Asked {
    std::uint64_t id = 0;       ///< in SharedTransfers
    Nanoseconds not_local = 0;  ///< it is complete locally so long before it is through
  };
  // What is shared may not have served those that were asked for.
  struct Target {
    Times latest;
    std::vector<Asked> asked;             ///< of transfers without a request
    std::vector<std::uint32_t> requests;  ///< of the others, also of those that were waited for since
  };
  struct Requested {
    Nanoseconds local = 0;
    Key target;
    std::vector<Asked> asked;
  };
  using Targets = std::map<Key, Target>;

  Targets::iterator first_of(const Detail& d) { return targets_.lower_bound({d.comm, d.peer == no_id ? 0 : d.peer}); }
  bool is_of(const Detail& d, Targets::iterator at) const {
    return at != targets_.end() && at->first.first == d.comm && (d.peer == no_id || at->first.second == d.peer);
  }
  /// All of them: `take(when through, when complete locally)`. The last begins last as a rule, so it is asked for
  /// first.
  template <class Take>
  static bool served(std::vector<Asked>& asked, SharedTransfers& shared, trace::LocationId location, const Take& take) {
    for (; !asked.empty(); asked.pop_back()) {
      const auto through = shared.through(asked.back().id, TransferEnd::receiver, location);
      if (!through) return false;
      take(*through, *through - asked.back().not_local);
    }
    return true;
  }
  bool served(Requested& requested, SharedTransfers& shared, trace::LocationId location) {
    return served(requested.asked, shared, location, [&](Nanoseconds through, Nanoseconds local) {
      targets_[requested.target].latest.join({through, local});
      requested.local = std::max(requested.local, local);
    });
  }
  bool served(Target& target, SharedTransfers& shared, trace::LocationId location) {
    for (; !target.requests.empty(); target.requests.pop_back()) {
      const auto found = requested_.find(target.requests.back());
      if (found != requested_.end() && !served(found->second, shared, location)) return false;
    }
    return served(target.asked, shared, location, [&](Nanoseconds through, Nanoseconds local) {
      target.latest.join({through, local});
    });
  }
  /// Targets take part in no transfer.
  static MessageCost eager(MessageCost cost) {
    cost.rendezvous = false;
    return cost;
  }
  Port leaving_;
  Targets targets_;
  std::unordered_map<std::uint32_t, Requested> requested_;  ///< by transfer, until they are waited for
  std::vector<SharedUse> uses_;                             ///< of the transfer at hand
};

}  // namespace mora::replay
