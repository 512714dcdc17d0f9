/// Wait for Progress. Without hardware that serves accesses by itself, the target's MPI library must run for a lock to
/// be granted and for transfers to arrive: while the target computes, the origin waits. Any MPI call of any thread of
/// the target counts as progress.
///
/// Source: Scalasca 2.6, MPI Wait for Progress Time; for flushes, requests and several targets Mora's rule
/// passive-target-disjoint. Cost: O(t log t) for t targets of a call. Limit: a library with asynchronous progress does
/// not need the target's calls; the trace does not tell.
#include "analysis/patterns/passive_target/passive.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis::passive {

const MetricInfo wait_for_progress_info{
    "wait-for-progress",
    "Wait for Progress",
    "mpi_rma_sync_wait_for_progress",
    "locks",
    cube::Unit::seconds,
    true,
    "A rank waits in a lock or unlock call until the target enters MPI.",
    "lock, unlock and their _all, c on target t: S = E(c), or the end of the contention in c; [E_t, X_t] = t's first "
    "stretch in MPI (any thread) that ends after S. If S < E_t <= L(c): w = E_t - S. Several targets (lock_all, "
    "unlock_all: those that the epoch accesses): the gaps in [S, last E_t] that no [E_t, X_t] covers, each charged to "
    "the target that ends it. Nothing if recording was off at the target before E_t. Flushes: flush-wait.",
    "Scalasca 2.6, MPI Wait for Progress Time in Synchronizations",
    "The access was held up because its target computed outside MPI: this MPI library, or this network, has no "
    "progress of its own. The cause is the target, with the MPI call in which the access could proceed.",
    "Switch asynchronous progress on (MPICH: MPICH_ASYNC_PROGRESS=1; a progress thread); let the target call MPI now "
    "and then (MPI_Iprobe, MPI_Test); use windows from MPI_Win_allocate, which networks with remote memory access "
    "serve without the target.",
    DelayClass::passive_target,
    CauseDid::came_for_progress};

const MetricInfo flush_wait_info{"flush-wait",
                                 "Flush Wait",
                                 "mora_rma_flush_wait",
                                 "locks",
                                 cube::Unit::seconds,
                                 true,
                                 "A rank waits in a flush until the target enters MPI.",
                                 "As wait-for-progress, where c is MPI_Win_flush, flush_local (its target) or "
                                 "flush_all, flush_local_all (the targets with operations since their last flush or "
                                 "lock). No call is in both metrics. What remains of the flush is transfer.",
                                 "Mora's rule passive-target-disjoint",
                                 "See wait-for-progress. Flushes inside loops pay it each time.",
                                 "Flush once per batch of operations, as late as possible; see wait-for-progress.",
                                 DelayClass::passive_target,
                                 CauseDid::came_for_progress};

const MetricInfo wait_for_progress_comm_info{
    "wait-for-progress-comm",
    "Wait for Progress (Communication)",
    "mpi_rma_comm_wait_for_progress",
    "one-sided",
    cube::Unit::seconds,
    true,
    "A rank waits in a put, get or atomic of a lock epoch until the target enters MPI.",
    "As wait-for-progress, where c is a data call to a target that its rank has locked.",
    "Scalasca 2.6, MPI Wait for Progress Time in Communications",
    "The data call blocked until the target's MPI library ran: the library transfers at once, or waits for a lock that "
    "it had postponed.",
    "See wait-for-progress; request-based operations (MPI_Rput, MPI_Rget) let computation go on meanwhile.",
    DelayClass::passive_target,
    CauseDid::came_for_progress};

const MetricInfo request_completion_info{
    "request-completion",
    "Request Completion",
    "mora_rma_request_completion",
    "one-sided",
    cube::Unit::seconds,
    true,
    "A rank waits in MPI_Wait for a request-based transfer until the target enters MPI.",
    "As wait-for-progress, where c is an MPI_Wait* that completed MPI_Rput, Rget, Raccumulate or Rget_accumulate; "
    "targets: those of the completed operations. A test alone never waits; of a loop of tests, the parts of the gaps "
    "from its begin to its end that lie in its stretches (rule poll-loops). Of a c that completed messages or "
    "collectives, too: what does not lie in a wait for these that ends before the gap (rule mixed-waits).",
    "Mora's rule passive-target-disjoint; Mora's rule mixed-waits; Mora's rule poll-loops",
    "The transfer could not go on while the target computed, and the computation put between start and wait did not "
    "hide that.",
    "Wait later, or let the target make progress: see wait-for-progress.",
    DelayClass::passive_target,
    CauseDid::came_for_progress};

std::vector<Gap> progress_gaps(Nanoseconds from, Nanoseconds until, std::vector<Progress>& progress) {
  std::sort(progress.begin(), progress.end(), [](const Progress& a, const Progress& b) {
    return std::tie(a.begin, a.location, a.end) < std::tie(b.begin, b.location, b.end);
  });
  std::vector<Gap> gaps;
  Nanoseconds covered = from;
  for (const Progress& p : progress) {
    if (p.begin > until) break;
    if (p.begin > covered) gaps.push_back(Gap{covered, p.begin, p});
    covered = std::max(covered, p.end);
  }
  return gaps;
}

Nanoseconds end_of(const LocationHalves& halves, std::uint32_t call) {
  while (call + 1 < halves.calls.size() && halves.calls[call + 1].goes_on) ++call;
  return halves.calls[call].leave;
}

Entry enters_mpi(const Timeline& timeline, Nanoseconds from, Nanoseconds until, std::size_t& cursor) {
  Entry entry;
  cursor = timeline.find(from, cursor);
  for (std::size_t s = cursor; s < timeline.size() && timeline.begin(s) <= until; ++s) {
    if (timeline.is_mpi(s)) {
      entry.begin = timeline.begin(s);
      entry.segment = s;
      break;
    }
    if (timeline.is_nothing(s)) entry.is_certain = false;
  }
  return entry;
}

}  // namespace mora::analysis::passive
