/// Lock Contention: which call of a waiting epoch waited for the lock. In which order processes held it:
/// trace/links/lock_order.h.
///
/// Idea: when the lock changed hands is known only to lie in [R, U] of the holder, U its release, R = max(E(unlock),
/// its own grant). The call of the waiting epoch that was in progress then did the waiting, whichever MPI library
/// blocks in it: lock (MPICH, Open MPI), the first put or get, or unlock (Open MPI with osc=pt2pt). Usually that is its
/// latest call entered before U; it is not when the waiter's call returned, and the next one began, while the holder's
/// unlock was still returning: then the call that waited longest before U is the one. A call that returned before R did
/// not wait for this holder: its library postponed the lock.
///
/// Source: Scalasca 2.6, MPI Lock Contention Time in Synchronizations; Mora's rules lock-contention,
/// lock-contention-which-call. Cost: O(log calls) per epoch. Limits: one wait per epoch; locks on one clock are needed.
#include "analysis/patterns/passive_target/passive.h"

#include <algorithm>
#include <tuple>

#include "analysis/patterns/passive_target/retry_causes.h"
#include "analysis/storage/sorted_by.h"

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
    "before U_h): w = min(U_h, L(c)) - E(c), charged to c. Its causes are the holders in turn, each from the release "
    "of "
    "the one that blocked it to its own. MPI_MODE_NOCHECK takes no lock.",
    "Hermanns 2004, 4.4.3; Scalasca 2.6, MPI Lock Contention Time in Synchronizations; Mora's rule lock-contention; "
    "Mora's rule lock-contention-which-call",
    "Ranks request the same lock at the same time and get it one after the other. Look at how long the named holder "
    "keeps it, and how many ranks request it: the total waiting grows with the square of their number.",
    "Hold the lock only around the accesses; take shared locks where accesses do not conflict (accumulates, reads, "
    "disjoint places); spread the data over more targets or windows; MPI_Win_lock_all once with MPI_Win_flush and "
    "atomics needs no exclusive locks at all.",
    DelayClass::passive_target,
    CauseDid::held_lock};

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
    DelayClass::passive_target,
    CauseDid::held_lock};

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
    DelayClass::none,
    CauseDid::held_lock};

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
    DelayClass::none,
    CauseDid::held_lock};

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
    DelayClass::none,
    CauseDid::held_lock};

namespace {

Blocking blocking(const std::vector<Contender>& sorted, const std::vector<std::size_t>& blockers, std::size_t holder) {
  const Contender& h = sorted[holder];
  const Nanoseconds grant = blockers[holder] == trace::nobody ? INT64_MIN : sorted[blockers[holder]].release;
  Blocking by;
  by.first_release = std::max(h.unlock, grant);
  by.release = h.release;
  by.unlock_enter = h.unlock;
  by.idle_from = std::max(h.last_use, grant);
  by.holder = h.location;
  by.unlock_path = h.unlock_path;
  return by;
}

/// each(place): who blocked whom before `holder`, latest first. Returns how many.
template <class Each>
std::uint32_t each_earlier_holder(const std::vector<Contender>& sorted, const std::vector<std::size_t>& blockers,
                                  std::size_t holder, Nanoseconds since, const Each& each) {
  constexpr std::uint32_t most = 64;
  std::uint32_t count = 0;
  for (std::size_t h = blockers[holder]; h != trace::nobody && sorted[h].release > since && count < most;
       h = blockers[h], ++count)
    each(h);
  return count;
}

}  // namespace

void answer_blocked(std::uint32_t target, const std::vector<Contender>& sorted,
                    const std::vector<std::size_t>& blockers, std::vector<std::uint32_t>& holders_sent,
                    std::vector<Buffer>& answers) {
  const auto is_blocked = [&](std::size_t i) {
    return blockers[i] != trace::nobody && sorted[blockers[i]].release > sorted[i].request;
  };
  std::vector<std::uint32_t> place(sorted.size());
  std::vector<std::uint32_t> counts(sorted.size());
  for (std::uint32_t source = 0; source < answers.size(); ++source) {
    place.assign(sorted.size(), no_id);
    BufferWriter out(answers[source]);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i].source != source || !is_blocked(i)) continue;
      counts[i] =
          each_earlier_holder(sorted, blockers, blockers[i], sorted[i].request, [&](std::size_t h) { place[h] = 0; });
    }
    for (std::size_t h = 0; h < sorted.size(); ++h) {  // nobody is blocked by a later one
      if (place[h] == no_id) continue;
      place[h] = holders_sent[source]++;
      const std::uint32_t before = blockers[h] == trace::nobody ? no_id : place[blockers[h]];
      out.put(Message::holder);
      out.put(EarlierHolder{sorted[h].release, sorted[h].unlock, sorted[h].location, sorted[h].unlock_path, before});
    }
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i].source != source || !is_blocked(i)) continue;
      const std::uint32_t last = counts[i] == 0 ? no_id : place[blockers[blockers[i]]];
      out.put(Message::lock);
      out.put(BlockedAnswer{sorted[i].location, sorted[i].number, target, counts[i], last,
                            blocking(sorted, blockers, blockers[i])});
    }
  }
}

void keep_last_of_each_call(SpillVector<Contention>& found) {
  const auto rank = [](const Contention& c) {
    return std::tuple(-c.until, c.by.holder, -c.by.release, c.by.unlock_enter);
  };
  sort_by(found, [](const Contention& c) { return c.call; });
  std::size_t kept = 0;
  for (const Contention& c : found) {
    if (kept == 0 || found[kept - 1].call != c.call) {
      found[kept++] = c;
    } else if (rank(c) < rank(found[kept - 1])) {
      found[kept - 1] = c;
    }
  }
  found.resize(kept);
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
  const std::span<const std::uint32_t> calls = halves.calls_of(epoch);
  auto place = std::partition_point(calls.begin(), calls.end(),
                                    [&](std::uint32_t c) { return halves.calls[c].leave <= by.first_release; });
  std::uint32_t best = no_id;
  Nanoseconds longest = 0;
  for (; place != calls.end() && halves.calls[*place].enter < by.release; ++place) {
    const Call& call = halves.calls[*place];
    const Nanoseconds waited = std::min(call.leave, by.release) - call.enter;
    if (waited < longest || waited <= 0 || !concerns(halves, epoch, call, target)) continue;
    best = *place;
    longest = waited;
  }
  return best;
}

}  // namespace mora::analysis::passive
