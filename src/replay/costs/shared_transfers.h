/// Transfers that share something with others: the connection of a node, its memory, a link.
///
/// Model: each shared thing has a calendar and serves one transfer after the other, each for bytes / R; bytes flow on
/// while more are served. So a transfer is through when both the time has passed that it takes alone and all that it
/// uses has served it:
///
///     through = max(begins + latency + n / R_C, begin of service + latency + n / R_N)
///
/// k messages of n bytes that begin at once are all through after latency + max(n / R_C, k n / R_N), which is
///
///     latency + k n / min(R_N, k R_C)        max-rate: Gropp 2016
///
/// R_C: rate of one sender (MessageCost::port); R_N: rate of what is shared (SharedUse::time).
///
/// Order: by when transfers may begin, then by sender; whoever comes later is served later. A transfer is served only
/// when no rank can ask for an earlier one any more (Simulation), so the times do not depend on the order in which
/// ranks run. Cost: O(log n) per transfer for n under way. Limits: the last of several equal ones is
/// through when it is with fair shares, those before it earlier; while several pass they may get more than R_N
/// together, but none is through before all that was asked for earlier can have passed. Times in ns. Not thread-safe.
#pragma once

#include <array>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "replay/costs/network.h"
#include "replay/costs/port.h"

namespace mora::replay {

/// An end of a transfer that waits until it is through.
enum class TransferEnd : std::uint8_t { receiver, sender };

class SharedTransfers {
 public:
  /// No transfer has it.
  static constexpr std::uint32_t nobody = UINT32_MAX;

  /// A message of `sender` (a location), its `number`-th, is handed over; it is a rendezvous: it may begin when it is
  /// also posted(). `ends`: that ask for it, 2: its sender, too. No uses: nothing happens.
  void hand_over(std::uint64_t id, Nanoseconds time, std::uint32_t sender, std::uint64_t number, bool rendezvous,
                 std::uint8_t ends, Nanoseconds latency, const std::vector<SharedUse>& uses) {
    if (uses.empty()) return;
    Transfer& t = transfers_[id];
    t.begins = time;
    t.sender = sender;
    t.number = number;
    t.latency = latency;
    t.uses = uses;
    t.ends = ends;
    t.is_awaited = rendezvous;
    if (!rendezvous) asked_.push({time, sender, number, id});
  }
  /// The receive of a rendezvous that is handed over is posted.
  void posted(std::uint64_t id, Nanoseconds time) {
    const auto at = transfers_.find(id);
    if (at == transfers_.end() || !at->second.is_awaited) return;
    Transfer& t = at->second;
    t.is_awaited = false;
    t.begins = std::max(t.begins, time);
    asked_.push({t.begins, t.sender, t.number, id});
  }

  /// That some end has still to ask for.
  std::size_t under_way() const { return transfers_.size(); }
  /// None is asked for.
  bool empty() const { return asked_.empty(); }
  /// When the next one would begin. Precondition: there is one.
  Nanoseconds next() const { return asked_.top().time; }
  /// Serves it. The locations that wait for it are appended to `woken`.
  void serve(std::vector<std::uint32_t>& woken) {
    Transfer& t = transfers_.at(asked_.top().id);
    asked_.pop();
    Nanoseconds start = t.begins, served = t.begins;
    for (const SharedUse& use : t.uses) {
      const Nanoseconds end = calendars_[use.resource].take(start, use.time);
      start = std::max(start, end - use.time);
      served = std::max(served, end);
    }
    t.through = saturated_sum(served, t.latency);
    for (const std::uint32_t location : t.waiting) {
      if (location != nobody) woken.push_back(location);
    }
  }

  /// When what the transfer uses has served it, asked once by each of its ends; INT64_MIN: it uses nothing that is
  /// shared; nothing: `location` is woken when it is known.
  std::optional<Nanoseconds> through(std::uint64_t id, TransferEnd end, std::uint32_t location) {
    const auto at = transfers_.find(id);
    if (at == transfers_.end()) return INT64_MIN;
    Transfer& t = at->second;
    if (t.through == INT64_MIN) {
      t.waiting[static_cast<std::size_t>(end)] = location;
      return {};
    }
    const Nanoseconds time = t.through;
    if (--t.ends == 0) transfers_.erase(at);
    return time;
  }

 private:
  struct Transfer {
    Nanoseconds begins = 0, latency = 0, through = INT64_MIN;
    std::uint32_t sender = 0;
    std::uint64_t number = 0;
    std::uint8_t ends = 1;    ///< that have not asked yet
    bool is_awaited = false;  ///< its receive is not posted
    std::array<std::uint32_t, 2> waiting = {nobody, nobody};
    std::vector<SharedUse> uses;
  };
  struct Asked {
    Nanoseconds time;
    std::uint32_t sender;
    std::uint64_t number, id;
    bool operator<(const Asked& other) const {
      return std::tie(time, sender, number) > std::tie(other.time, other.sender, other.number);
    }
  };
  std::unordered_map<std::uint64_t, Transfer> transfers_;
  std::priority_queue<Asked> asked_;  ///< earliest first
  std::unordered_map<std::uint64_t, Port> calendars_;
};

}  // namespace mora::replay
