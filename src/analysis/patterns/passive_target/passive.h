/// Passive target: what is kept of a location, and the rules of locks and progress as pure functions (safe from any
/// thread). Times in ns.
///
/// Notation of the rules: E(c), L(c) = enter and leave of call c; U = time of the release record of a lock epoch.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/core/timeline.h"
#include "analysis/core/waits.h"
#include "analysis/metric_info.h"
#include "analysis/storage/buffer.h"
#include "analysis/storage/chunked.h"
#include "base/time.h"
#include "trace/definitions.h"
#include "trace/event.h"
#include "trace/links/lock_order.h"

namespace mora::analysis::passive {

using trace::no_id;

extern const MetricInfo lock_contention_info, lock_all_contention_info, late_unlock_info, wait_for_progress_info,
    flush_wait_info;
extern const MetricInfo lock_contention_comm_info, late_unlock_comm_info, wait_for_progress_comm_info,
    request_completion_info, atomic_retry_info, atomic_retry_sync_info;
extern const MetricInfo rma_transfers_info, rma_bytes_info, atomic_retries_info;

enum class CallKind : std::uint8_t {
  synchronise,  ///< lock, unlock and their _all
  flush,
  data,
  request,  ///< a wait that completed request-based transfers, or a stretch of a loop of tests that did
};

/// A call of passive-target communication. 32 bytes.
struct Call {
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  std::uint32_t node = 0;          ///< of the local call tree
  std::uint32_t first_target = 0;  ///< index of LocationHalves::targets
  std::uint32_t targets = 0;       ///< ranks whose progress it needs
  CallKind kind = CallKind::data;
  CompletionKind account = completes_transfer;  ///< of a wait: by which it is accounted
  bool is_mixed : 1 = false;                    ///< of a wait: it completed a message or collective, too
  bool goes_on : 1 = false;                     ///< a stretch of the same loop of tests as the call before
  bool is_broken : 1 = false;                   ///< recording was off during part of it: no waiting is claimed
  /// Of an attempt of an atomic operation that was repeated: itself (data), flush, unlock, lock.
  bool is_retry : 1 = false;
};
static_assert(sizeof(Call) == 32);

/// From lock to unlock.
struct LockEpoch : trace::LockTurn {
  trace::WindowId window = no_id;
  std::uint32_t target = no_id;  ///< world rank; no_id: MPI_Win_lock_all
  bool is_checked = true;        ///< false: MPI_MODE_NOCHECK, it takes no lock
  std::uint32_t calls = 0;       ///< how many; LocationHalves::calls_of()
  std::size_t first_call = 0;    ///< index of LocationHalves::epoch_calls
  trace::LockProofs proofs;      ///< of MPI_Win_lock_all
};

struct TransferCount {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
};

/// What an atomic operation works on.
struct AtomicPlace {
  trace::WindowId window = no_id;
  std::uint32_t target = no_id;
  std::uint64_t offset = 0;
  auto operator<=>(const AtomicPlace&) const = default;
};

/// A put or atomic operation that may have changed its place.
struct Change {
  AtomicPlace place;
  std::uint32_t call = 0;
};

/// Attempts of an atomic operation: all calls from the first one to the last one, which succeeded.
struct RetryLoop {
  AtomicPlace place;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Nanoseconds success = 0;  ///< end of the last attempt
};

/// Who made the attempt succeed: the latest change of the place by another location.
struct Changer {
  Nanoseconds time = INT64_MIN;  ///< enter of its call; INT64_MIN: nobody is known
  cube::LocationId location = cube::no_id;
  std::uint32_t path = cube::no_id;  ///< global call path
};

struct LocationHalves {
  cube::LocationId location = 0;
  std::uint32_t rank = 0;
  Chunked<Call> calls;  ///< in time order, none inside another
  std::vector<std::uint32_t> targets;
  std::vector<LockEpoch> epochs;                     ///< closed ones
  SpillVector<std::uint32_t> epoch_calls;            ///< of one epoch after the other
  std::map<std::uint32_t, TransferCount> transfers;  ///< by node of the local call tree
  std::vector<Change> changes;                       ///< if the program has atomics that may be repeated
  std::vector<RetryLoop> loops;

  /// All calls of an epoch, in order: the first locks, the last unlocks.
  std::span<const std::uint32_t> calls_of(const LockEpoch& epoch) const {
    return std::span(epoch_calls).subspan(epoch.first_call, epoch.calls);
  }
};

// ---- locks (trace/links/lock_order.h, lock_contention.cpp) -----------------------------------------------

/// One lock epoch, in the partition that orders all epochs on its (window, target). `number`: index of
/// LocationHalves::epochs.
struct Contender : trace::LockTurn {
  Nanoseconds last_use = 0;       ///< leave of its last operation on the target; of the lock call if there is none
  std::uint32_t unlock_path = 0;  ///< global call path
  std::uint32_t source = 0;       ///< partition it came from
};

/// What a waiting epoch learns of the one that blocked it.
struct Blocking {
  Nanoseconds first_release = 0;  ///< R: it cannot have released before: max of its E(unlock) and its own grant
  Nanoseconds release = 0;        ///< U
  Nanoseconds unlock_enter = 0;
  Nanoseconds idle_from = 0;  ///< from here on it had the lock and did not use it
  cube::LocationId holder = 0;
  std::uint32_t unlock_path = 0;
};
/// An epoch that held the lock before the blocking one, while others waited. Those in a queue share the row of them.
struct EarlierHolder {
  Nanoseconds release = 0;  ///< U
  Nanoseconds unlock_enter = 0;
  cube::LocationId holder = 0;
  std::uint32_t unlock_path = 0;
  std::uint32_t before = no_id;  ///< who blocked it, in the list of all of them; no_id: nobody who is wanted
};
/// Why a call waited for a lock.
struct Contention {
  std::uint32_t call = 0;
  Nanoseconds until = 0;
  Blocking by;
  bool lock_all = false;
  std::uint32_t earlier = 0;           ///< how many held it before
  std::uint32_t last_earlier = no_id;  ///< the last of them, in the list of all
};
/// Several targets may block one call: the one that let it go last counts. Ascending by call then.
void keep_last_of_each_call(SpillVector<Contention>& found);
/// The answer to an epoch that waited.
struct BlockedAnswer {
  cube::LocationId location = 0;
  std::uint32_t epoch = 0;
  std::uint32_t target = 0;
  std::uint32_t earlier = 0;           ///< as of Contention; EarlierHolder records came before, of the box
  std::uint32_t last_earlier = no_id;  ///< in the order in which they came
  Blocking by;
};
/// To each partition the holders that its epochs waited for beside the last one (EarlierHolder), each once, in the
/// order in which they held the lock, as far back as they released while one waited, at most 64 for one, so that a
/// queue of n costs O(n); then its epochs (BlockedAnswer). `holders_sent`: how many went before, by partition.
void answer_blocked(std::uint32_t target, const std::vector<Contender>& sorted,
                    const std::vector<std::size_t>& blockers, std::vector<std::uint32_t>& holders_sent,
                    std::vector<Buffer>& answers);

/// The call that waited: among those with E < U and L > R, the one with the largest min(L, U) - E; ties: the later.
/// no_id = none waited.
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

/// The end of a call, of a loop of tests that of its last stretch.
Nanoseconds end_of(const LocationHalves& halves, std::uint32_t call);

/// When a location entered MPI, at or after `from`.
struct Entry {
  Nanoseconds begin = INT64_MAX;  ///< INT64_MAX: not until `until`; <= from: it was inside
  std::size_t segment = 0;
  bool is_certain = true;  ///< false: recording was off before
};
/// `cursor`: where the last question was; they mostly ascend.
Entry enters_mpi(const Timeline& timeline, Nanoseconds from, Nanoseconds until, std::size_t& cursor);

}  // namespace mora::analysis::passive
