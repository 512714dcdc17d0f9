/// Passive target: what is kept of a location, and the rules of locks and progress as pure functions (safe from any
/// thread). Times in ns.
///
/// Notation of the rules: E(c), L(c) = enter and leave of call c; U = time of the release record of a lock epoch.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/engine/chunked.h"
#include "analysis/metric_info.h"
#include "base/time.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::analysis::passive {

inline constexpr std::uint32_t no_id = 0xFFFFFFFF;

extern const MetricInfo lock_contention_info, lock_all_contention_info, late_unlock_info, wait_for_progress_info,
    flush_wait_info;
extern const MetricInfo lock_contention_comm_info, late_unlock_comm_info, wait_for_progress_comm_info,
    request_completion_info, atomic_retry_info;
extern const MetricInfo rma_transfers_info, rma_bytes_info, atomic_retries_info;

enum class CallKind : std::uint8_t {
  synchronise,  ///< lock, unlock and their _all
  flush,
  data,
  request,  ///< a wait that completed request-based transfers and no message
};

/// A call of passive-target communication. 32 bytes.
struct Call {
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  std::uint32_t node = 0;          ///< of the local call tree
  std::uint32_t first_target = 0;  ///< index of LocationHalves::targets
  std::uint32_t targets = 0;       ///< ranks whose progress it needs
  CallKind kind = CallKind::data;
  bool is_broken = false;  ///< recording was off during part of it: no waiting is claimed
  bool is_retry = false;   ///< an attempt of an atomic operation that was repeated
};

/// From lock to unlock.
struct LockEpoch {
  trace::WindowId window = no_id;
  std::uint32_t target = no_id;  ///< world rank; no_id: MPI_Win_lock_all
  bool exclusive = false;
  bool is_checked = true;            ///< false: MPI_MODE_NOCHECK, it takes no lock
  bool accesses = false;             ///< has transfers: it took the lock even where the library postpones locks
  std::uint32_t held_call = no_id;   ///< MPI_Win_lock only: its first flush (not local) after a transfer
  Nanoseconds release = 0;           ///< U
  std::vector<std::uint32_t> calls;  ///< all its calls, in order: the first locks, the last unlocks
};

struct TransferCount {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
};

struct LocationHalves {
  cube::LocationId location = 0;
  std::uint32_t rank = 0;
  Chunked<Call> calls;  ///< in time order, none inside another
  std::vector<std::uint32_t> targets;
  std::vector<LockEpoch> epochs;                     ///< closed ones
  std::map<std::uint32_t, TransferCount> transfers;  ///< by node of the local call tree
};

// ---- lock assignment (lock_contention.cpp) ---------------------------------------------------------------

/// One lock epoch, in the partition that orders all epochs on its (window, target).
struct Contender {
  Nanoseconds lock_enter = 0;    ///< E(lock)
  Nanoseconds unlock_enter = 0;  ///< E(unlock)
  Nanoseconds release = 0;       ///< U
  Nanoseconds last_use = 0;      ///< leave of its last operation on the target; of the lock call if there is none
  cube::LocationId location = 0;
  std::uint32_t epoch = 0;        ///< index of LocationHalves::epochs
  std::uint32_t unlock_path = 0;  ///< global call path
  std::uint32_t source = 0;       ///< partition it came from
  bool exclusive = false;
  bool took_lock = false;  ///< surely: MPI_Win_lock with transfers
  Nanoseconds held = 0;    ///< surely has the lock now: leave of held_call; U if there is none
};

/// Makes releases earlier that are known to be: if an epoch h has the lock at held_h, each conflicting epoch w that has
/// it up to E(unlock_w) > held_h or longer comes after h, so that h released before U_w. Needed because an unlock may
/// return long after the lock has changed hands, even after the next holder's. O(n log n).
void tighten_releases(std::vector<Contender>& epochs);

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// Tightens and sorts the epochs of one (window, target) by release and finds, for each, the conflicting epoch released
/// last before it (nobody = none). Two shared epochs do not conflict. O(n log n).
std::vector<std::size_t> assign_lock(std::vector<Contender>& epochs);

/// What a waiting epoch learns of the one that blocked it.
struct Blocking {
  Nanoseconds first_release = 0;  ///< R: it cannot have released before: max of its E(unlock) and its own grant
  Nanoseconds release = 0;        ///< U
  Nanoseconds unlock_enter = 0;
  Nanoseconds idle_from = 0;  ///< from here on it had the lock and did not use it
  cube::LocationId holder = 0;
  std::uint32_t unlock_path = 0;
};
Blocking blocking(const std::vector<Contender>& sorted, const std::vector<std::size_t>& blockers, std::size_t holder);

/// The call that waited: among those with E < U and L > R, the one with the largest min(L, U) - E; ties: the later.
/// `calls` yields the epoch's calls in order. no_id = none waited.
std::uint32_t blocked_call(const LocationHalves& halves, const LockEpoch& epoch, std::uint32_t target,
                           const Blocking& by);
/// Whether the call of an epoch has to do with the target.
bool concerns(const LocationHalves& halves, const LockEpoch& epoch, const Call& call, std::uint32_t target);

// ---- progress (wait_for_progress.cpp) --------------------------------------------------------------------

/// The first stretch in MPI of a target that ends after the origin's call began to need it.
struct Progress {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  cube::LocationId location = 0;
  std::uint32_t path = 0;  ///< call path of that MPI call
};

struct Gap {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  Progress by;
};

/// The gaps in [from, until] before the targets' stretches: parts in which a target still to come was outside MPI and
/// no target that had come was inside. Sorts `progress`; entries with begin > until do not count.
std::vector<Gap> progress_gaps(Nanoseconds from, Nanoseconds until, std::vector<Progress>& progress);

}  // namespace mora::analysis::passive
