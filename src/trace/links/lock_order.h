/// In which order processes held the locks of one window at one target: derived, never recorded.
///
/// MPI_Win_lock need not block and records no acquisition, so all lock epochs on a target are sorted by their release
/// U; the epoch that blocked another one is the conflicting epoch released last before it. Two shared epochs do not
/// conflict. A flush after a transfer proves that its epoch has the lock, which corrects U where an unlock returned
/// after the next holder's. Source: Hermanns 2004, 4.4.3 (the order of locks derived afterwards); Mora's rules
/// lock-contention and lock-epoch-order.
///
/// Who takes part: epochs whose release was recorded, without MPI_MODE_NOCHECK (they take no lock), and not those that
/// reach over a gap in the recording. MPI_Win_lock_all takes part at every target at which somebody asks for an
/// exclusive lock, but proves nothing where it accesses nothing: it need not lock such a target. Records outside of MPI
/// calls do not count. A lock and its unlock are of one thread (Mora's rule passive-target-disjoint).
/// Cost: O(n log n) for n epochs on one target. Limits: without flushes the order is that of the releases, which may be
/// wrong by the time that an unlock takes to return; locks on one clock are needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::trace {

/// One lock epoch.
struct LockTurn {
  Nanoseconds request = 0;     ///< enter of the call that asks for the lock
  Nanoseconds unlock = 0;      ///< enter of the call that releases it
  Nanoseconds release = 0;     ///< U: time of the record of the release
  Nanoseconds held = unknown;  ///< surely has the lock: leave of its first flush after an access; U if there is none
  LocationId location = 0;
  std::uint32_t number = 0;  ///< of the epoch on its location
  bool exclusive = false;
  bool took_lock = false;  ///< surely: it accesses the target

  static constexpr Nanoseconds unknown = INT64_MAX;
};

/// Where an epoch of MPI_Win_lock_all accessed something: target, and LockTurn::held there.
using LockProofs = std::map<std::uint32_t, Nanoseconds>;

/// An epoch of MPI_Win_lock_all as it stands at one target.
template <class Turn>
Turn lock_at_target(Turn turn, std::uint32_t target, const LockProofs& proofs) {
  const auto proof = proofs.find(target);
  turn.took_lock = proof != proofs.end();
  turn.held = turn.took_lock ? std::min(proof->second, turn.release) : turn.release;
  return turn;
}

/// The lock epochs of one location that are open while its records are read in stream order. `Epoch`: LockTurn, or
/// derived. Targets are world ranks; no_id: MPI_Win_lock_all. O(log open) per record. Not thread-safe.
template <class Epoch>
class OpenLocks {
 public:
  /// `epoch`: all that is known when the lock is asked for. False: another one was open there; it is given up.
  bool request(WindowId window, std::uint32_t target, Epoch epoch) {
    if (target == no_id) proofs_.erase(window);
    const Key key{window, target};
    if (const auto found = open_.find(key); found != open_.end()) {
      found->second = std::move(epoch);
      return false;
    }
    if (spare_.empty()) {
      open_.emplace(key, std::move(epoch));
    } else {
      spare_.key() = key;
      spare_.mapped() = std::move(epoch);
      open_.insert(std::move(spare_));
    }
    return true;
  }
  /// The epoch that a call to the target belongs to; of MPI_Win_lock_all if there is no other; nullptr: none.
  Epoch* around(WindowId window, std::uint32_t target) {
    auto found = open_.find({window, target});
    if (found == open_.end()) found = open_.find({window, no_id});
    return found == open_.end() ? nullptr : &found->second;
  }
  /// A put, get or atomic operation, in the epoch that is returned.
  Epoch* access(WindowId window, std::uint32_t target) {
    if (const auto found = open_.find({window, target}); found != open_.end() && target != no_id) {
      found->second.took_lock = true;
    } else if (target != no_id && open_.contains({window, no_id})) {
      proofs_[window].try_emplace(target, LockTurn::unknown);
    }
    return around(window, target);
  }
  /// A flush of one target or of all proves, when its call returns, that epochs with accesses have their locks;
  /// MPI_Win_flush_local proves nothing.
  void flush(WindowId window, std::uint32_t target) {
    for (const auto& [key, epoch] : open_) {
      const bool is_flushed = key.first == window && (target == no_id || target == key.second);
      if (is_flushed && epoch.took_lock && epoch.held == LockTurn::unknown) flushed_.push_back(key);
    }
    const auto proofs = proofs_.find(window);
    if (proofs == proofs_.end()) return;
    for (auto& [accessed, held] : proofs->second) {
      if ((target == no_id || target == accessed) && held == LockTurn::unknown) proved_.push_back({window, accessed});
    }
  }
  void leave(Nanoseconds time) {
    for (const Key& key : flushed_) {
      if (const auto found = open_.find(key); found != open_.end()) found->second.held = time;
    }
    flushed_.clear();
    for (const auto& [window, target] : proved_) {
      if (const auto found = proofs_.find(window); found != proofs_.end()) found->second[target] = time;
    }
    proved_.clear();
  }
  /// Of the epoch of MPI_Win_lock_all that was released last on this window.
  LockProofs take_proofs(WindowId window) {
    auto found = proofs_.extract(window);
    return found.empty() ? LockProofs() : std::move(found.mapped());
  }
  /// The epoch that ends in a call entered at `unlock`, by a record at `time`; nothing if none was open.
  std::optional<Epoch> release(WindowId window, std::uint32_t target, Nanoseconds unlock, Nanoseconds time) {
    auto found = open_.extract({window, target});
    if (found.empty()) return {};
    Epoch& epoch = found.mapped();
    epoch.unlock = unlock;
    epoch.release = time;
    if (epoch.held == LockTurn::unknown) epoch.held = time;
    std::optional<Epoch> closed(std::move(epoch));
    spare_ = std::move(found);
    return closed;
  }
  /// At a gap in the recording: what is open behind it is not known. Returns how many were.
  std::size_t forget() {
    const std::size_t open = open_.size();
    open_.clear();
    flushed_.clear();
    proofs_.clear();
    proved_.clear();
    return open;
  }
  auto begin() { return open_.begin(); }
  auto end() { return open_.end(); }

 private:
  using Key = std::pair<WindowId, std::uint32_t>;
  std::map<Key, Epoch> open_;
  typename std::map<Key, Epoch>::node_type spare_;  ///< of an epoch that was closed: programs open the next one soon
  std::vector<Key> flushed_;
  std::map<WindowId, LockProofs> proofs_;
  std::vector<Key> proved_;
};

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// Makes releases earlier that are known to be: if an epoch h has the lock at held_h, each conflicting epoch w that has
/// it up to unlock_w > held_h or longer comes after h, so that h released before U_w. `Turn`: LockTurn, or derived.
template <class Turn>
void tighten_releases(std::vector<Turn>& turns) {
  struct Later {
    Nanoseconds unlock = 0;
    Nanoseconds any = 0;        ///< smallest U of those that unlock at or after `unlock`
    Nanoseconds exclusive = 0;  ///< ... and are exclusive
  };
  std::vector<Later> later;
  for (const Turn& t : turns) {
    if (t.took_lock) later.push_back({t.unlock, t.release, t.exclusive ? t.release : INT64_MAX});
  }
  std::sort(later.begin(), later.end(), [](const Later& a, const Later& b) { return a.unlock < b.unlock; });
  for (std::size_t i = later.size(); i-- > 1;) {
    later[i - 1].any = std::min(later[i - 1].any, later[i].any);
    later[i - 1].exclusive = std::min(later[i - 1].exclusive, later[i].exclusive);
  }
  for (Turn& h : turns) {
    if (h.held >= h.release) continue;
    const auto next =
        std::partition_point(later.begin(), later.end(), [&](const Later& l) { return l.unlock <= h.held; });
    if (next == later.end()) continue;
    const Nanoseconds release = h.exclusive ? next->any : next->exclusive;
    if (release >= h.unlock) h.release = std::min(h.release, release);  // else the clocks contradict each other
  }
}

/// Tightens and sorts the epochs of one window at one target, and returns for each the place of the one that blocked it
/// (nobody = none).
template <class Turn>
std::vector<std::size_t> order_locks(std::vector<Turn>& turns) {
  tighten_releases(turns);
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return std::tie(a.release, a.held, a.request, a.location, a.number) <
           std::tie(b.release, b.held, b.request, b.location, b.number);
  });
  std::vector<std::size_t> blockers(turns.size(), nobody);
  std::size_t last_exclusive = nobody;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].exclusive) {
      if (i > 0) blockers[i] = i - 1;
      last_exclusive = i;
    } else {
      blockers[i] = last_exclusive;
    }
  }
  return blockers;
}

}  // namespace mora::trace
