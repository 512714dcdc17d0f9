/// Send Waits for Progress: text, and the time of one blocking send.
///
/// An MPI library may not let a send return, although it is small and needs no receive, before the receiving process
/// enters MPI again and takes it out of a buffer. Late Receiver does not cover that: the receive was posted before, or
/// is posted after the send has returned, or the call is charged with a Late Sender (MPI_Sendrecv).
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo send_progress_info{
    "send-progress",
    "Send Waits for Progress",
    "mora_send_progress",
    "point-to-point",
    cube::Unit::seconds,
    true,
    "A blocking send does not return before the receiving process enters MPI again, although its receive is not waited "
    "for.",
    "S = a call that started and completed a send to which no Late Receiver is charged. Of "
    "the last eight stretches of the receiving process outside MPI that begin before L(S), cut to S: the longest, if "
    "it "
    "lasts no shorter than the rest of S after it: w = its end - max(its begin, E(S)). Late Sender or Late Receiver in "
    "the same call (MPI_Sendrecv) comes first, w is what follows it. Processes with one recorded thread only. 0 if "
    "causes are not asked for.",
    "Mora's rule waits-for-progress",
    "The message waits in a buffer until the receiver's next MPI call: the receiver computes meanwhile. Look at what "
    "it "
    "computes.",
    "Let the receiver enter MPI more often, or let a thread progress messages; use MPI_Isend, and complete it later.",
    DelayClass::late_receiver,
    CauseDid::came_for_progress};

TimeInterval waited_for_progress(const Timeline& receiver, Nanoseconds enter, Nanoseconds leave, std::size_t& guess) {
  constexpr int stretches = 8;
  std::size_t s = guess = receiver.find(leave, guess);
  if (s == receiver.size() && s > 0) --s;
  TimeInterval longest;
  for (int i = 0; i < stretches && s < receiver.size() && receiver.end(s) > enter; ++i) {
    const bool was_in_mpi = receiver.is_mpi(s);
    while (s > 0 && receiver.is_mpi(s)) --s;
    if (receiver.is_mpi(s)) break;
    const Nanoseconds end = receiver.end(s);
    while (s > 0 && !receiver.is_mpi(s)) --s;
    const Nanoseconds begin = std::max(enter, receiver.is_mpi(s) ? receiver.end(s) : receiver.begin(s));
    const bool has_ended = was_in_mpi || i > 0 || end <= leave;
    if (has_ended && end - begin > longest.end - longest.begin) longest = {begin, end};
    if (s == 0) break;
  }
  return leave - longest.end <= longest.end - longest.begin ? longest : TimeInterval{};
}

}  // namespace mora::analysis
