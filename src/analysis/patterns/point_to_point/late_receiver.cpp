/// Late Receiver: text and formula of one message. Pairing, and calls that complete several messages:
/// engine/messages.cpp.
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo late_receiver_info{
    "late-receiver",
    "Late Receiver",
    "mpi_latereceiver",
    "point-to-point",
    cube::Unit::seconds,
    true,
    "A send cannot finish because its receive is posted late.",
    "S = the call that completed the send (the send itself, or MPI_Wait* of an MPI_Isend), R = the call that posted "
    "the receive. If L(S) <= E(R): 0. Else w = E(R) - E(S), if w > 0; charged to S on the sender. A loop of tests "
    "waits as one call, a test alone never. "
    "A call that completes several operations is charged once, with the maximum over its sends, and only if no Late "
    "Sender is charged to it. A send that is buffered and merely overlaps the posting counts too; the published "
    "definition accepts that.",
    "Scalasca 2.6, MPI Late Receiver Time; Mora's rule sender-or-receiver-late; Mora's rule "
    "buffered-send-late-receiver; Mora's rule poll-loops",
    "The message is too large to be buffered (or the send is synchronous) and the receiver is busy with something "
    "else. Look at the cause's rank: what did it compute before it posted the receive?",
    "Post receives earlier (MPI_Irecv before the computation); use MPI_Isend and complete it later; balance the work.",
    DelayClass::late_receiver};

Nanoseconds late_receiver(Nanoseconds send_enter, Nanoseconds send_leave, Nanoseconds post_enter) {
  return send_leave <= post_enter ? 0 : post_enter - send_enter;
}

}  // namespace mora::analysis
