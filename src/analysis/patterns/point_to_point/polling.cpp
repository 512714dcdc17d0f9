/// Polling: text only, an amount and no wait state; match/matcher.cpp knows which calls completed nothing (Mora's rule
/// polling).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo polling_info{
    "polling",
    "Polling",
    "mora_polling",
    "point-to-point",
    cube::Unit::seconds,
    false,
    "Time in tests and probes that found nothing.",
    "sum of L - E over MPI_Test, Testall, Testany, Testsome and Improbe whose records show no completion, no "
    "cancellation and no matched message, and over all MPI_Iprobe (whether a probe found a message is not recorded), "
    "but "
    "for loops that ended with something: these wait (late-sender). A "
    "test whose only request is of MPI_PROC_NULL or inactive completes nothing here. MPI_Win_test is not among them.",
    "Mora's rule polling; Mora's rule poll-loops",
    "The program tests repeatedly instead of waiting: in this time it does not compute, and the trace does not show "
    "which rank it waits for.",
    "Compute between two tests, or use MPI_Wait when there is nothing else to do."};

}  // namespace mora::analysis
