/// Counts the epochs of one rank: which closing call completes a transfer, said by number, from local knowledge only.
///
/// Idea (spec/000 2.10-2.12, MRG-28). A transfer is complete at the latest when the process it ends on leaves the call
/// that closes its epoch (MPI-3.1 section 11.7). Epochs are counted, never guessed from time or from queues, because
/// access epochs may run ahead of exposure epochs (TRAP-1) and fences of one process ahead of another's (TRAP-2):
///
///   lock    open lock (origin, target, window): Put and Get end at the origin's unlock.
///   GATS    k-th access epoch of (origin, target, window): Get ends at its complete, Put at the wait or successful
///           test that closes the k-th exposure epoch of (target, origin, window).
///   fence   issued after f fences of its origin: Get ends at the origin's, Put at the target's fence number f + 1.
///
/// A lock goes before an access epoch, that before a fence. Closing calls of one kind and partner (a *gate*) are
/// numbered 1, 2, …; the n-th closing at a gate releases the transfers that wait for number n there. Cost: O(1) per
/// transfer, O(group) per group synchronisation. Limits: flush and request-based completion are not epochs; their
/// transfers end with the lock or fence that closes them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

enum class EpochKind : std::uint8_t { none, lock, access, exposure, fence };

/// Where transfers wait: the closing calls of `rank` on a window, of one kind, towards one partner.
struct EpochGate {
  EpochKind kind = EpochKind::none;
  std::uint32_t rank = 0;  ///< whose call closes
  WindowId window = no_id;
  std::uint32_t partner = no_id;  ///< lock: target; exposure: origin; else no_id
  auto operator<=>(const EpochGate&) const = default;
};

struct EpochTicket {
  EpochGate gate;
  std::uint64_t number = 0;  ///< which closing at the gate; gate.kind none: no epoch is open
};

/// One location's events in stream order. Not thread-safe.
class EpochCounter {
 public:
  EpochCounter(const Definitions& definitions, std::uint32_t rank) : definitions_(definitions), rank_(rank) {}

  /// The ticket of a put, get or atomic.
  EpochTicket transfer(const Event& event);
  /// Counts a synchronisation; what it closes. Numbers at a gate ascend; one is left out if its closing was not
  /// recorded.
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
