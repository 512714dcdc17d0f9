/// Which closing call completes a one-sided transfer, told by number.
///
/// A transfer is complete at the latest when the process it ends on leaves the call that closes its epoch (MPI-3.1,
/// 11.7; Hermanns 2004, 3.5 and 4.4.2). Epochs are counted (epochs.h) instead of kept in queues (Hermanns 2004, 5.3.2),
/// because access epochs may run ahead of exposure epochs, and fences of one process ahead of another's: a queue would
/// end transfers of the next epoch too early. What is counted is Mora's rule:
///
///   lock    open lock (origin, target, window): Put and Get end at the origin's unlock.
///   epochs  of start and complete, post and wait: Get ends at its complete, Put at the wait or successful test that
///           closes the exposure epoch that belongs to its access epoch.
///   fence   issued after f fences of its origin: Get ends at the origin's, Put at the target's fence number f + 1.
///
/// Closing calls of one kind and partner (a *gate*) are numbered 1, 2, … in each stretch of recording; the n-th closing
/// at a gate ends the transfers that wait for number n there. Behind a gap a number at another process's gate holds
/// only if both sides agree on how many there are (JoinedSequence::is_torn). Limits: flush and request-based completion
/// are not epochs; their transfers end with the lock or fence that closes them. Not thread-safe.
#pragma once

#include <compare>
#include <vector>

#include "trace/links/location_ends.h"

namespace mora::trace {

enum class EpochKind : std::uint8_t { none, lock, access, exposure, fence };

/// A gate: the closing calls of `rank` on a window, of one kind, towards one partner. Transfers wait there for their
/// end.
struct EpochGate {
  EpochKind kind = EpochKind::none;
  std::uint32_t rank = 0;  ///< whose call closes
  WindowId window = no_id;
  std::uint32_t partner = no_id;  ///< lock: target; exposure: origin; else no_id
  std::uint32_t stretch = 0;
  auto operator<=>(const EpochGate&) const = default;
};

/// One closing at a gate.
struct EpochTicket {
  EpochGate gate;
  std::uint64_t number = 0;  ///< which closing at the gate; gate.kind none: no epoch is open
};

/// The closing that completes this put, get or atomic of a process of `rank`; gate.kind is none if no epoch is open.
EpochTicket ticket_of(const Event& transfer, std::uint32_t rank, LocationEnds& ends);

/// Counts a synchronisation (group_sync, lock_request, lock_release, rma_collective_end) in `ends` and appends what it
/// closes to `closed`. Numbers at a gate ascend; one is left out if its closing was not recorded.
void synchronise(const Event& event, std::uint32_t rank, LocationEnds& ends, std::vector<EpochTicket>& closed);

}  // namespace mora::trace
