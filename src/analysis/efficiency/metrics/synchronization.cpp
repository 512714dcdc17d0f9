/// Potential synchronisation and start delay: what a program would lose if every collective began with a
/// synchronisation of its members, charged to those that would wait (the first) and to those that come late (the
/// second; never mixed). Estimates, not waiting: a broadcast's root that enters first would wait here and does not in
/// the run.
///
/// Source: DVM analyser, 4.1 and 5.3.2; Mora's rules potential-synchronisation and synchronisation-of-messages.
/// O(members) per collective, O(1) per message.
#include <algorithm>

#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo potential_synchronization_info{
    "potential-synchronization",
    "Potential Synchronization",
    "mora_potential_synchronization",
    "",
    cube::Unit::seconds,
    false,
    "What calls would wait if every exchange began with a synchronisation of its partners.",
    "potential-synchronization-point-to-point + potential-synchronization-collective",
    "DVM analyser, 4.1",
    "Processes reach their exchanges at different times. Compare with the wait states: what they lack of this, the "
    "program already avoids.",
    "Balance the work before the exchange; see imbalance and the causes of the wait states."};

const MetricInfo potential_synchronization_p2p_info{
    "potential-synchronization-point-to-point",
    "Potential Synchronization, Point-to-Point",
    "mora_potential_synchronization_p2p",
    "potential-synchronization",
    cube::Unit::seconds,
    false,
    "How much earlier than its send each message was waited for.",
    "per message [min(E(send), L(W)) - E(W)]+ with W = the call that completes the receive, at W; each message of a "
    "Waitall counts (late-sender takes the longest), also those that an MPI_Test completes. E(send) > L(W) contradicts "
    "the clocks: cut at L(W), counted as clock-violation.",
    "DVM analyser, 5.3.2; Mora's rule synchronisation-of-messages",
    "Receivers come before their messages are sent. Several messages awaited by one call count each: it may exceed the "
    "call's time.",
    "Send earlier; receive later, or non-blocking with computation before the wait."};

const MetricInfo potential_synchronization_collective_info{
    "potential-synchronization-collective",
    "Potential Synchronization, Collective",
    "mora_potential_synchronization_collective",
    "potential-synchronization",
    cube::Unit::seconds,
    false,
    "How much earlier than the last member each member entered a collective.",
    "max_q B_q - B_p at every member's call, for each complete instance: all collectives on communicators, windows and "
    "files, not MPI_Init, MPI_Finalize, OpenSHMEM. Non-blocking: E of the starts, at the start. 0 if a member is "
    "alone, or if recording was off in a member's call.",
    "DVM analyser, 4.1; Mora's rule potential-synchronisation",
    "It is charged to the members that come early. Rooted operations and scans really wait for less, non-blocking ones "
    "perhaps not at all.",
    "Look for the member with the largest start-delay: the others wait for it."};

const MetricInfo start_delay_info{
    "start-delay",
    "Start Delay",
    "mora_start_delay",
    "",
    cube::Unit::seconds,
    false,
    "How much later than the first member each member entered a collective.",
    "B_p - min_q B_q, as potential-synchronization-collective otherwise",
    "DVM analyser, 5.3.2; Mora's rule potential-synchronisation",
    "The counterpart of potential synchronisation: charged to the members that come late. The DVM analyser's sample "
    "report shows this figure; the two have different totals and must not be added.",
    "What the latest member computes before the collective is what to shorten."};

void add_potential_synchronization(std::span<const Member> members, WaitSink& sink) {
  static const cube::MetricId potential = metric_index(potential_synchronization_info.id);
  static const cube::MetricId collective = metric_index(potential_synchronization_collective_info.id);
  static const cube::MetricId delay = metric_index(start_delay_info.id);
  Nanoseconds first = INT64_MAX;
  Nanoseconds last = INT64_MIN;
  for (const Member& m : members) {
    if (m.broken) return;
    first = std::min(first, m.begin);
    last = std::max(last, m.begin);
  }
  for (const Member& m : members) {
    sink.count(potential, m.call_path, m.location, last - m.begin);
    sink.count(collective, m.call_path, m.location, last - m.begin);
    sink.count(delay, m.call_path, m.location, m.begin - first);
  }
}

void efficiency_of_collective(const CollectiveInstance& instance, WaitSink& sink) {
  if (instance.members.size() < 2) return;
  add_potential_synchronization(instance.members, sink);
  add_time_variation(instance.members, sink);
}

void efficiency_of_message(Nanoseconds send_enter, Nanoseconds receive_enter, Nanoseconds receive_leave,
                           cube::LocationId receiver, cube::CallPathId receive_path, WaitSink& sink) {
  static const cube::MetricId potential = metric_index(potential_synchronization_info.id);
  static const cube::MetricId point_to_point = metric_index(potential_synchronization_p2p_info.id);
  static const cube::MetricId lifetime = metric_index(message_lifetime_info.id);
  if (send_enter < receive_leave) sink.count(lifetime, receive_path, receiver, receive_leave - send_enter);
  const Nanoseconds early = std::min(send_enter, receive_leave) - receive_enter;
  if (early <= 0) return;
  sink.count(potential, receive_path, receiver, early);
  sink.count(point_to_point, receive_path, receiver, early);
}

}  // namespace mora::analysis
