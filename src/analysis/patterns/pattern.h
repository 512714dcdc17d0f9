/// Wait states: one file per wait state holds its text (MetricInfo) and its rule. The rules see only times and facts
/// of one message or one collective instance; where halves come from and where amounts go is the engine's business.
///
/// Notation: B, X = begin and end of a member's collective; E(c), L(c) = enter and leave of call c;
/// [x]+ = max(0, x). All times in ns. The functions are pure (but for the sink) and safe from any thread.
#pragma once

#include <span>

#include "analysis/core/timeline.h"
#include "analysis/core/waits.h"
#include "analysis/metric_info.h"
#include "trace/event.h"

namespace mora::analysis {

// ---- what several rules share ----------------------------------------------------------------------------

/// Member with the latest begin among those that `which` accepts (ties: first); no_member if none.
template <class Predicate>
std::size_t latest(std::span<const Member> members, Predicate which) {
  std::size_t best = no_member;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (which(members[i]) && (best == no_member || members[i].begin > members[best].begin)) best = i;
  }
  return best;
}

/// min X > max B over the members that `which` accepts.
template <class Predicate>
bool overlaps_fully(std::span<const Member> members, Predicate which) {
  Nanoseconds latest_begin = INT64_MIN;
  Nanoseconds first_end = INT64_MAX;
  for (const Member& m : members) {
    if (!which(m)) continue;
    latest_begin = m.begin > latest_begin ? m.begin : latest_begin;
    first_end = m.end < first_end ? m.end : first_end;
  }
  return first_end > latest_begin;
}

/// Charges `member` with [min(until, X) - B]+, caused by `cause`.
void add_wait_until(cube::MetricId metric, const Member& member, Nanoseconds until, const Member& cause,
                    WaitSink& sink);

/// Barrier rules over all members: w_p = [min(max B, X_p) - B_p]+.
void add_barrier_waits(cube::MetricId metric, std::span<const Member> members, WaitSink& sink);
/// c_p = [X_p - max(min X, min(max B, X_p))]+.
void add_barrier_completions(cube::MetricId metric, std::span<const Member> members, WaitSink& sink);
/// w_p = [min(S, X_p) - B_p]+, S = max B over the partners of p; nothing where they are not known.
void add_partner_waits(cube::MetricId metric, const CollectiveInstance& instance, WaitSink& sink);
/// max B - B_p for everyone if min X > max B; 0 otherwise.
void add_full_overlap_waits(cube::MetricId metric, std::span<const Member> members, WaitSink& sink);

// ---- the rules -------------------------------------------------------------------------------------------

extern const MetricInfo late_sender_info, wrong_order_info, wrong_order_different_source_info,
    wrong_order_same_source_info, late_sender_avoidable_info, late_receiver_info, send_progress_info, polling_info,
    unknown_wait_info;
extern const MetricInfo wait_at_barrier_info, barrier_completion_info;
extern const MetricInfo late_broadcast_info, early_reduce_info, early_scan_info, wait_at_scan_info, wait_at_nxn_info,
    nxn_completion_info;
extern const MetricInfo wait_at_neighborhood_info;
extern const MetricInfo wait_at_init_info, initialization_completion_info, wait_at_finalize_info;
extern const MetricInfo wait_at_create_info, wait_at_free_info, wait_at_fence_info, asserted_fence_info;

/// Late Sender of one message, without regard to other messages of the call; <= 0 = did not wait.
Nanoseconds late_sender(Nanoseconds send_enter, Nanoseconds receive_enter, Nanoseconds receive_leave);
/// Late Receiver of one message: the call that completed the send, the enter of the call that posted the receive.
Nanoseconds late_receiver(Nanoseconds send_enter, Nanoseconds send_leave, Nanoseconds post_enter);
/// The stretch outside MPI of the receiving process whose end a blocking send [enter, leave] waited for; empty: none.
/// The nearer `guess`, the faster; it becomes the segment at `leave`.
TimeInterval waited_for_progress(const Timeline& receiver, Nanoseconds enter, Nanoseconds leave, std::size_t& guess);

/// The rules of blocking collectives, each in the file of its name: give `sink` the waits of one complete instance.
void wait_at_barrier(const CollectiveInstance& instance, WaitSink& sink);
void barrier_completion(const CollectiveInstance& instance, WaitSink& sink);
void late_broadcast(const CollectiveInstance& instance, WaitSink& sink);
void early_reduce(const CollectiveInstance& instance, WaitSink& sink);
void early_scan(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_scan(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_nxn(const CollectiveInstance& instance, WaitSink& sink);
/// MPI_Alltoallv and Alltoallw: Wait at NxN by their true pattern.
void wait_at_true_nxn(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_neighborhood(const CollectiveInstance& instance, WaitSink& sink);
void nxn_completion(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_init(const CollectiveInstance& instance, WaitSink& sink);
void initialization_completion(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_finalize(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_create(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_free(const CollectiveInstance& instance, WaitSink& sink);
void wait_at_fence(const CollectiveInstance& instance, WaitSink& sink);
void asserted_fence(const CollectiveInstance& instance, WaitSink& sink);

/// All rules of the operation (docs/formats/metrics.md lists which calls have none).
void score_collective(trace::Collective operation, const CollectiveInstance& instance, WaitSink& sink);
void score_window_collective(trace::RmaOperation operation, const CollectiveInstance& instance, WaitSink& sink);

}  // namespace mora::analysis
