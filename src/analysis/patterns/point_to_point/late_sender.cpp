/// Late Sender: text and formula of one message. Pairing, and calls that complete several messages:
/// engine/messages.cpp.
#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo late_sender_info{
    "late-sender",
    "Late Sender",
    "mpi_latesender",
    "point-to-point",
    cube::Unit::seconds,
    true,
    "A receive waits because its message is sent late.",
    "w = min(E(enclosing(send)), L(enclosing(recv))) - E(enclosing(recv)), if w > 0; enclosing(recv) is the call that "
    "completed the receive (MPI_Recv, MPI_Wait*, MPI_Sendrecv), charged to its call path on the receiver; before that, "
    "the "
    "probe or the loop of polls that found the message. Never for a test alone. A call that completes several "
    "operations is charged once, with the maximum over its receives. E(send) "
    "> L(recv) contradicts the clocks: cut at L(recv), counted as clock-violation. Messages pair per channel "
    "(communicator, source, destination, tag): the k-th send with the k-th posted receive that ended with that "
    "envelope.",
    "Hermanns 2004, 6.1; Scalasca 2.6, MPI Late Sender Time; Mora's rule sender-or-receiver-late; Mora's rule "
    "probe-waits; Mora's rule poll-loops",
    "The sender reaches its send later than the receiver reaches its receive. Look at the cause's rank and at what it "
    "computed before the send: it has more work, or it does something first that could wait.",
    "Balance the work between the two ranks; send earlier, as soon as the data exist; post MPI_Irecv early and compute "
    "before MPI_Wait.",
    DelayClass::late_sender};

Nanoseconds late_sender(Nanoseconds send_enter, Nanoseconds receive_enter, Nanoseconds receive_leave) {
  return std::min(send_enter, receive_leave) - receive_enter;
}

}  // namespace mora::analysis
