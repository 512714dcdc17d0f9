/// Counts the epochs of one rank: which closing call completes a transfer, told by number, from local knowledge only.
///
/// Idea. A transfer is complete at the latest when the process it ends on leaves the call that closes its epoch
/// (MPI-3.1, 11.7; Hermanns 2004, 3.5 and 4.4.2). Epochs are counted instead of kept in queues (Hermanns 2004, 5.3.2),
/// because access epochs may run ahead of exposure epochs, and fences of one process ahead of another's: a queue would
/// end transfers of the next epoch too early. What is counted is Mora's rule:
///
///   lock    open lock (origin, target, window): Put and Get end at the origin's unlock.
///   epochs  of start and complete, post and wait: k-th access epoch of (origin, target, window). Get ends at its
///           complete, Put at the wait or successful test that closes the k-th exposure epoch of (target, origin,
///           window).
///   fence   issued after f fences of its origin: Get ends at the origin's, Put at the target's fence number f + 1.
///
/// If several are open, a lock goes before an access epoch, and that before a fence. Closing calls of one kind and
/// partner (a *gate*) are numbered 1, 2, …; the n-th closing at a gate ends the transfers that wait for number n there.
/// Cost: O(log windows + log partners) per transfer, O(group) per group synchronisation. Memory: one counter per window
/// and partner. Limits: flush and request-based completion are not epochs; their transfers end with the lock or fence
/// that closes them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

enum class EpochKind : std::uint8_t { none, lock, access, exposure, fence };

/// A gate: the closing calls of `rank` on a window, of one kind, towards one partner. Transfers wait there for their
/// end.
struct EpochGate {
  EpochKind kind = EpochKind::none;
  std::uint32_t rank = 0;  ///< whose call closes
  WindowId window = no_id;
  std::uint32_t partner = no_id;  ///< lock: target; exposure: origin; else no_id
  auto operator<=>(const EpochGate&) const = default;
};

/// One closing at a gate.
struct EpochTicket {
  EpochGate gate;
  std::uint64_t number = 0;  ///< which closing at the gate; gate.kind none: no epoch is open
};

/// Counts one location; its events must come in stream order. Not thread-safe.
class EpochCounter {
 public:
  EpochCounter(const Definitions& definitions, std::uint32_t rank) : definitions_(definitions), rank_(rank) {}

  /// The closing that completes this put, get or atomic; gate.kind is none if no epoch is open.
  EpochTicket transfer(const Event& event);
  /// Counts a synchronisation and returns what it closes, valid until the next call. Numbers at a gate ascend; one is
  /// left out if its closing was not recorded.
  const std::vector<EpochTicket>& synchronise(const Event& event);

 private:
  struct State {
    std::uint64_t fences = 0, completes = 0;
    GroupId access = no_id, exposure = no_id;
    std::map<std::uint32_t, std::uint64_t> access_count;    ///< per target: epochs started
    std::map<std::uint32_t, std::uint64_t> exposure_count;  ///< per origin: epochs posted
    std::map<std::uint32_t, std::uint64_t> locks;           ///< per target: locks taken
    std::map<std::uint32_t, bool> locked;
  };
  bool contains(GroupId group, std::uint32_t rank) const;

  const Definitions& definitions_;
  const std::uint32_t rank_;
  std::map<WindowId, State> states_;
  std::vector<EpochTicket> closed_;
};

}  // namespace mora::trace
