/// Lock Contention: in which order processes held a lock, and which call of a waiting epoch waited.
///
/// Idea: MPI_Win_lock need not block and records no acquisition, so the order is derived: all epochs on one target of a
/// window, sorted by their release U. The epoch that blocked another one is the conflicting epoch released last before
/// it. A flush after a transfer proves that its epoch has the lock, which corrects U where an unlock returned after the
/// next holder's (tighten_releases). When the lock changed hands is known only to lie in [R, U] of the holder: R =
/// max(E(unlock), its own grant). The call of the waiting epoch that was in progress then did the waiting, whichever
/// MPI library blocks in it: lock (MPICH, Open MPI), the first put or get, or unlock (Open MPI with osc=pt2pt). Usually
/// that is its latest call entered before U; it is not when the waiter's call returned, and the next one began, while
/// the holder's unlock was still returning: then the call that waited longest before U is the one. A call that returned
/// before R did not wait for this holder: its library postponed the lock.
///
/// Source: Hermanns 2004, 4.4.3 (the order of locks derived afterwards); Scalasca 2.6, MPI Lock Contention Time in
/// Synchronizations; Mora's rules lock-contention, lock-contention-which-call, lock-epoch-order. Cost: O(n log n) for n
/// epochs on one target. Limits: one wait per epoch; without flushes the order is that of the releases, which may be
/// wrong by the time an unlock takes to return; locks on one clock are needed.
#include "analysis/patterns/passive_target/passive.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis::passive {

const MetricInfo lock_contention_info{
    "lock-contention",
    "Lock Contention",
    "mpi_rma_sync_lock_contention",
    "locks",
    cube::Unit::seconds,
    true,
    "A rank waits in a lock, unlock or flush call because another one holds the lock.",
    "Per (window, target), epochs (lock ... unlock, lock_all ... unlock_all) sorted by release U; h = conflicting "
    "epoch (not both shared) released last before U of the waiting one (U_h <= U_w where a flush after a transfer of h "
    "proves that h had the lock before E(unlock_w)); R = max(E(unlock_h), U of the epoch that blocked h). Among the "
    "waiting epoch's own calls with E(c) < U_h and L(c) > R, the one that waited longest (usually the latest entered "
    "before U_h): w = min(U_h, L(c)) - E(c), charged to c. MPI_MODE_NOCHECK takes no lock.",
    "Hermanns 2004, 4.4.3; Scalasca 2.6, MPI Lock Contention Time in Synchronizations; Mora's rule lock-contention; "
    "Mora's rule lock-contention-which-call",
    "Ranks request the same lock at the same time and get it one after the other. Look at how long the named holder "
    "keeps it, and how many ranks request it: the total waiting grows with the square of their number.",
    "Hold the lock only around the accesses; take shared locks where accesses do not conflict (accumulates, reads, "
    "disjoint places); spread the data over more targets or windows; MPI_Win_lock_all once with MPI_Win_flush and "
    "atomics needs no exclusive locks at all.",
    DelayClass::passive_target};

const MetricInfo lock_contention_comm_info{
    "lock-contention-comm",
    "Lock Contention (Communication)",
    "mpi_rma_comm_lock_contention",
    "one-sided",
    cube::Unit::seconds,
    true,
    "A rank waits in a put, get or atomic because another one holds the lock.",
    "As lock-contention, where the call that waited is a data call: the MPI library took the lock only then.",
    "Scalasca 2.6, MPI Lock Contention Time in Communications; Mora's rule lock-contention",
    "The same contention as in lock-contention; this MPI library takes the lock only at the first access.",
    "See lock-contention.",
    DelayClass::passive_target};

const MetricInfo lock_all_contention_info{
    "lock-all-contention",
    "Lock_all Contention",
    "mora_rma_lock_all_contention",
    "lock-contention",
    cube::Unit::seconds,
    true,
    "A rank waits in an epoch of MPI_Win_lock_all because another one holds an exclusive lock on one of the targets.",
    "The part of lock-contention whose waiting epoch was opened by MPI_Win_lock_all: a shared epoch on every target, "
    "blocked by exclusive epochs only. Where several targets block one call, the one released last counts.",
    "Mora's rule passive-target-disjoint",
    "Some rank uses exclusive locks on a window on which others use MPI_Win_lock_all: an exclusive lock on any one "
    "target makes all of them wait.",
    "Use atomics or accumulates inside lock_all epochs in place of exclusive locks, or a window of its own for what "
    "needs exclusion.",
    DelayClass::none};

const MetricInfo late_unlock_info{
    "late-unlock",
    "Late Unlock",
    "mora_rma_late_unlock",
    "lock-contention",
    cube::Unit::seconds,
    true,
    "The part of the waiting during which the holder kept the lock without using it.",
    "[E(unlock_h) - max(E(c), last_h, grant_h)]+, at most w: last_h = leave of the holder's last operation or flush on "
    "the target (of its lock call if there is none), grant_h = U of the epoch that blocked h. Epochs of MPI_Win_lock "
    "only: those of lock_all are in lock-all-contention.",
    "Mora's rule passive-target-disjoint",
    "The holder had finished its accesses and did something else before it unlocked, while others waited: all this "
    "waiting can be avoided. Look at the code between the holder's last access and its unlock.",
    "Call MPI_Win_unlock directly after the last access; move the computation after it.",
    DelayClass::none};

const MetricInfo late_unlock_comm_info{
    "late-unlock-comm",
    "Late Unlock (Communication)",
    "mora_rma_comm_late_unlock",
    "lock-contention-comm",
    cube::Unit::seconds,
    true,
    "The part of the waiting in a data call during which the holder kept the lock without using it.",
    "As late-unlock, of lock-contention-comm.",
    "Mora's rule passive-target-disjoint",
    "See late-unlock.",
    "See late-unlock.",
    DelayClass::none};

void tighten_releases(std::vector<Contender>& epochs) {
  struct Later {
    Nanoseconds unlock_enter = 0;
    Nanoseconds any = 0;        ///< smallest U of those that unlock at or after unlock_enter
    Nanoseconds exclusive = 0;  ///< ... and are exclusive
  };
  std::vector<Later> later;
  for (const Contender& e : epochs) {
    if (e.took_lock) later.push_back({e.unlock_enter, e.release, e.exclusive ? e.release : INT64_MAX});
  }
  std::sort(later.begin(), later.end(), [](const Later& a, const Later& b) { return a.unlock_enter < b.unlock_enter; });
  for (std::size_t i = later.size(); i-- > 1;) {
    later[i - 1].any = std::min(later[i - 1].any, later[i].any);
    later[i - 1].exclusive = std::min(later[i - 1].exclusive, later[i].exclusive);
  }
  for (Contender& h : epochs) {
    if (h.held >= h.release) continue;
    const auto next =
        std::partition_point(later.begin(), later.end(), [&](const Later& l) { return l.unlock_enter <= h.held; });
    if (next == later.end()) continue;
    const Nanoseconds release = h.exclusive ? next->any : next->exclusive;
    if (release >= h.unlock_enter) h.release = std::min(h.release, release);  // else the clocks contradict each other
  }
}

std::vector<std::size_t> assign_lock(std::vector<Contender>& epochs) {
  tighten_releases(epochs);
  std::sort(epochs.begin(), epochs.end(), [](const Contender& a, const Contender& b) {
    return std::tie(a.release, a.held, a.lock_enter, a.location, a.epoch) <
           std::tie(b.release, b.held, b.lock_enter, b.location, b.epoch);
  });
  std::vector<std::size_t> blockers(epochs.size(), nobody);
  std::size_t last_exclusive = nobody;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (epochs[i].exclusive) {
      if (i > 0) blockers[i] = i - 1;
      last_exclusive = i;
    } else {
      blockers[i] = last_exclusive;
    }
  }
  return blockers;
}

Blocking blocking(const std::vector<Contender>& sorted, const std::vector<std::size_t>& blockers, std::size_t holder) {
  const Contender& h = sorted[holder];
  const Nanoseconds grant = blockers[holder] == nobody ? INT64_MIN : sorted[blockers[holder]].release;
  Blocking by;
  by.first_release = std::max(h.unlock_enter, grant);
  by.release = h.release;
  by.unlock_enter = h.unlock_enter;
  by.idle_from = std::max(h.last_use, grant);
  by.holder = h.location;
  by.unlock_path = h.unlock_path;
  return by;
}

bool concerns(const LocationHalves& halves, const LockEpoch& epoch, const Call& call, std::uint32_t target) {
  if (epoch.target != no_id || call.kind == CallKind::synchronise) return true;
  for (std::uint32_t t = 0; t < call.targets; ++t) {
    if (halves.targets[call.first_target + t] == target) return true;
  }
  return false;
}

std::uint32_t blocked_call(const LocationHalves& halves, const LockEpoch& epoch, std::uint32_t target,
                           const Blocking& by) {
  auto place = std::partition_point(epoch.calls.begin(), epoch.calls.end(),
                                    [&](std::uint32_t c) { return halves.calls[c].leave <= by.first_release; });
  std::uint32_t best = no_id;
  Nanoseconds longest = 0;
  for (; place != epoch.calls.end() && halves.calls[*place].enter < by.release; ++place) {
    const Call& call = halves.calls[*place];
    const Nanoseconds waited = std::min(call.leave, by.release) - call.enter;
    if (waited < longest || waited <= 0 || !concerns(halves, epoch, call, target)) continue;
    best = *place;
    longest = waited;
  }
  return best;
}

}  // namespace mora::analysis::passive
