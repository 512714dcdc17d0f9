/// Waiting that is not known: text only, an amount and no wait state; engine/messages.cpp and the sequences of
/// collectives know which calls lack a partner (Mora's rule waiting-not-known).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo unknown_wait_info{
    "unknown-wait",
    "Waiting Not Known",
    "mora_unknown_wait",
    "",
    cube::Unit::seconds,
    false,
    "Time in calls whose partners are not in the trace, or that never returned.",
    "sum of L - E over calls that completed a receive without a send, sent a message without a receive, or took part "
    "in a collective operation that lacks members (unmatched-receive, unmatched-send, incomplete-collective, "
    "mismatched-collective, message-across-gap, collective-across-gap, of OpenSHMEM also unknown-active-set), each "
    "call once, and over calls that a process "
    "was in when it ended (the last one, without a record of what it did); tests, non-blocking "
    "collectives and one-sided communication are not among them",
    "Mora's rule waiting-not-known",
    "Records of some rank are missing, or the job hung or was killed, so how much of this time is waiting, and for "
    "whom, cannot be told.",
    "Record all ranks from begin to end."};

}  // namespace mora::analysis
