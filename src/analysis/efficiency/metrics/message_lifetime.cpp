/// Text of the lifetime of messages; the rule is efficiency_of_message() (synchronization.cpp).
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo message_lifetime_info{
    "message-lifetime",
    "Message Life Time",
    "mora_message_lifetime",
    "",
    cube::Unit::seconds,
    false,
    "How long messages were under way, from the send call to the end of the receive.",
    "per message [L(W) - E(send)]+ with W = the call that completes the receive, at W. Not a part of time: the "
    "lifetime of a message grows although no process is in MPI. A negative lifetime contradicts the clocks: 0, "
    "counted as clock-violation.",
    "DVM analyser, 5.3.2; Mora's rule synchronisation-of-messages",
    "If it is much larger than the time in point-to-point calls, messages are received long after they were sent. The "
    "The DVM analyser calls it SendRecv Time. It leaves out the waiting of a receiver before the send.",
    "Nothing by itself: look at late-sender, late-receiver and overlap."};

}  // namespace mora::analysis
