/// Which synchronisation completes which one-sided transfer: epoch-numbered matching.
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
/// A lock goes before an access epoch, that before a fence. What has no closing call is left over and counted.
/// Cost: one pass over the events, one look-up per transfer. Limits: lock_all, flush and request-based completion
/// are not epochs here yet; their transfers are left over unless a lock or fence closes them.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// The call that completes a transfer. `id` is the caller's name of the synchronisation event.
struct Release {
  bool known = false;
  std::uint64_t id = 0;
};

/// Not thread-safe. Events of one location in stream order; locations in any order. Call add() for every event.
class EpochLinks {
 public:
  explicit EpochLinks(const Definitions& definitions) : definitions_(definitions) {}

  /// `id`: the caller's name of the event (transfers, rma_collective_end, group_sync, locks).
  void add(std::uint32_t rank, const Event& event, std::uint64_t id);

  struct Transfer {
    std::uint64_t id = 0;
    std::uint32_t origin = 0;
    Release release;
  };
  /// All transfers in the order they were added. Leftovers are counted in `quality` (unreleased-transfer).
  std::vector<Transfer> match(DataQuality& quality);

 private:
  enum class Kind : std::uint8_t { none, lock, gats, fence };
  /// Names a closing call: who closes (rank), window, partner (GATS exposure, lock) and number.
  using CloseKey = std::tuple<Kind, std::uint32_t, WindowId, std::uint32_t, std::uint64_t>;
  struct Pending {
    std::uint64_t id;
    std::uint32_t origin, target;
    WindowId window;
    CloseKey close;
  };
  /// The state of one rank on one window.
  struct State {
    std::uint64_t fences = 0;
    GroupId access = no_id, exposure = no_id;
    std::uint64_t completes = 0;                            ///< access epochs closed, counted per (rank, window)
    std::map<std::uint32_t, std::uint64_t> access_count;    ///< per target: epochs started
    std::map<std::uint32_t, std::uint64_t> exposure_count;  ///< per origin: epochs posted
    std::map<std::uint32_t, std::uint64_t> locks;           ///< per target: locks taken
    std::map<std::uint32_t, bool> locked;
  };
  void synchronise(std::uint32_t rank, State& state, const Event& event, std::uint64_t id);
  CloseKey closing_call(std::uint32_t origin, State& state, const Event& event) const;
  bool contains(GroupId group, std::uint32_t rank) const;

  const Definitions& definitions_;
  std::map<std::pair<std::uint32_t, WindowId>, State> states_;
  std::map<CloseKey, std::uint64_t> closes_;
  std::vector<Pending> pending_;
};

}  // namespace mora::trace
