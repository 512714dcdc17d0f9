/// Epochs of general active target synchronisation, and what they form together. The quoted definitions are those of
/// Kühnal 2006, 5.
///
/// Kühnal 2006 builds these sets of events from the last event backwards and has to distinguish whether the last event
/// of a transaction - its root event - ends an access epoch (MPI_Win_complete) or an exposure epoch (MPI_Win_wait).
/// Here epochs are matched by number, never by time: the k-th access epoch of (origin, target, window) belongs to the
/// k-th exposure epoch of (target, origin, window), as MPI-3.1, 11.5.2 and 11.7 imply. So both cases of the root event
/// are one; access epochs may run ahead of their exposure epochs (weak synchronisation, Hermanns 2004, 3.4.1), and
/// clocks may contradict the program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "cube/cube.h"
#include "trace/definitions.h"

namespace mora::analysis {

/// A call as the patterns need it. All times in ns.
struct EpochCall {
  Nanoseconds enter = 0;  ///< E
  Nanoseconds leave = 0;  ///< L; also the time of the MPIWEXIT
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;
  bool broken = false;  ///< recording was off during part of it: no waiting is charged to it
};

inline constexpr Nanoseconds no_time = INT64_MIN;

/// "Data transfer. A put or get operation", here: the call that issued it (MPI_Put, Get, Accumulate, atomics). A put is
/// part of the exposure epoch by its end, a get of the access epoch (Hermanns 2004, 4.4.2); the patterns need the call
/// only.
struct DataCall {
  std::uint32_t target = 0;  ///< index of the target in the epoch's group
  std::uint64_t visit = 0;   ///< number of the call's visit: a call that issues several transfers is one call
  EpochCall call;
};

/// What an origin learns of an exposure epoch that belongs to its own access epoch.
struct SeenExposure {
  Nanoseconds post = 0;  ///< E(MPI_Win_post)
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;  ///< of MPI_Win_post
  std::uint32_t is_opened = 1;     ///< 0: the post was not recorded; the rest means nothing
};

/// What a target learns of an access epoch that belongs to its own exposure epoch.
struct SeenAccess {
  Nanoseconds complete = 0;           ///< E(MPI_Win_complete); meaningful if closed
  Nanoseconds last_access = no_time;  ///< latest L of a data call towards this target; no_time: none
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;  ///< of MPI_Win_complete
  std::uint32_t closed = 0;        ///< 1: the complete was recorded
  std::uint32_t is_opened = 1;     ///< 0: the start was not recorded; the rest means nothing
};

/// "Access epoch. Includes two MPIWCEXIT events [Mora: MPIWEXIT], one for each call to MPI_Win_start and
/// MPI_Win_complete, plus all GET_1TE events in between at the same location and referencing the same window." All data
/// calls of the epoch are kept, since every one of them may block.
struct AccessEpoch {
  EpochCall start, complete;
  std::span<const std::uint32_t> targets;  ///< the group, ascending world ranks, each once
  std::span<const DataCall> calls;         ///< in the order of the stream
};

/// "Exposure epoch. Includes two MPIWCEXIT events, one for each call to MPI_Win_post and MPI_Win_wait, plus all PUT_1TE
/// events in between at the same location and referencing the same window."
struct ExposureEpoch {
  EpochCall post, close;
  bool by_test = false;                    ///< closed by a successful MPI_Win_test, which never waits
  std::span<const std::uint32_t> origins;  ///< the group, ascending world ranks, each once
};

/// "Epoch pair. Union of an access epoch at location l with a corresponding exposure epoch at location k but without
/// any communication events not related to communication between l and k." Seen from l it is (own epoch, SeenExposure),
/// seen from k (own epoch, SeenAccess, whose last_access counts accesses from l to k only). Either side scores its own
/// waits.
template <class OwnEpoch, class SeenPartner>
struct EpochPair {
  const OwnEpoch& own;
  std::uint32_t partner_rank;
  const SeenPartner& partner;
};

/// "Access transaction. Union of an access epoch at location l with all corresponding exposure epochs at locations
/// k_1, …, k_n, but without any communication events not related to communication between l and k_1, …, k_n."
struct AccessTransaction {
  const AccessEpoch& epoch;
  std::span<const SeenExposure> exposures;  ///< parallel to epoch.targets: all of them are known

  EpochPair<AccessEpoch, SeenExposure> pair(std::size_t i) const { return {epoch, epoch.targets[i], exposures[i]}; }
};

/// "Exposure transaction. Union of an exposure epoch at location l with all corresponding access epochs at locations
/// k_1, …, k_n, but without any communication events not related to communication between l and k_1, …, k_n."
struct ExposureTransaction {
  const ExposureEpoch& epoch;
  std::span<const SeenAccess> accesses;  ///< parallel to epoch.origins: all of them are known and closed

  EpochPair<ExposureEpoch, SeenAccess> pair(std::size_t i) const { return {epoch, epoch.origins[i], accesses[i]}; }
};

}  // namespace mora::analysis
