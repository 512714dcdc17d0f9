/// Atomic Retry: spinning on a compare-and-swap or another fetch of one element (Mora's rule atomic-retry;
/// collector.cpp finds the loops); and the counts of transfers.
#include "analysis/patterns/passive_target/passive.h"

namespace mora::analysis::passive {

const MetricInfo atomic_retry_info{
    "atomic-retry",
    "Atomic Retry",
    "mora_rma_atomic_retry",
    "one-sided",
    cube::Unit::seconds,
    true,
    "A rank repeats an atomic operation until it succeeds.",
    "MPI_Compare_and_swap, MPI_Fetch_and_op and MPI_Get_accumulate of one element (at most 16 bytes) of one call path "
    "on the same window, target and place (where recorded), one after the other: between two attempts no other MPI "
    "call but flushes of that target (of what compares, replaces or only reads, MPI_NO_OP, also unlock and lock) and "
    "no change of region, and no more time outside MPI than the attempt with these calls "
    "took. All attempts of such a loop but the last: L - E, less what is other waiting in them. The cause is the rank "
    "that "
    "held the value: the last that put or changed it by an atomic, before the last attempt was complete. What stands "
    "between "
    "the "
    "attempts is atomic-retry-sync.",
    "Mora's rule atomic-retry",
    "The rank spins: another rank holds the lock that is built from atomics, or many ranks change the same word. Each "
    "attempt is a round trip over the network and slows down the attempts of the others.",
    "Wait longer between attempts; use a queue lock (MCS) in which each rank spins on memory of its own; "
    "MPI_Fetch_and_op in place of a compare-and-swap loop; spread the word over several targets.",
    DelayClass::passive_target};

const MetricInfo atomic_retry_sync_info{
    "atomic-retry-sync",
    "Atomic Retry (Synchronization)",
    "mora_rma_sync_atomic_retry",
    "locks",
    cube::Unit::seconds,
    true,
    "What ends each attempt of a repeated atomic operation: flush, unlock and lock.",
    "As atomic-retry, where the call is not the atomic operation but a flush, unlock "
    "or lock between two attempts. Both together are the cost of the spinning.",
    "Mora's rule atomic-retry",
    "See atomic-retry: most of an attempt's round trip is in the flush after it.",
    "See atomic-retry.",
    DelayClass::passive_target};

const MetricInfo atomic_retries_info{"atomic-retries",
                                     "Atomic Retries",
                                     "mora_rma_atomic_retries",
                                     "",
                                     cube::Unit::occurrences,
                                     false,
                                     "Attempts of atomic operations that were repeated.",
                                     "number of attempts that atomic-retry counts",
                                     "Mora's rule atomic-retry",
                                     "Many retries of little time each still load the target.",
                                     "See atomic-retry."};

const MetricInfo rma_transfers_info{
    "rma-transfers",
    "One-Sided Transfers",
    "mora_rma_transfers",
    "",
    cube::Unit::occurrences,
    false,
    "Puts, gets, accumulates and atomics, at their origin.",
    "number of transfers, at the call that started them; in any kind of epoch; none for MPI_PROC_NULL",
    "Scalasca 2.6, MPI One-sided Communication Operations",
    "Which ranks and calls access most often; mora report --transfers shows the targets.",
    "Combine small transfers; use derived types."};

const MetricInfo rma_bytes_info{"rma-bytes",
                                "One-Sided Bytes",
                                "mora_rma_bytes",
                                "",
                                cube::Unit::bytes,
                                false,
                                "Bytes moved by puts, gets, accumulates and atomics, at their origin.",
                                "put, accumulate: bytes sent; get: bytes that the target sends; fetching operations: "
                                "operand sent and result received",
                                "Scalasca 2.6, MPI One-Sided Bytes Transferred",
                                "Which ranks and calls move most; mora report --transfers shows the targets.",
                                "Transfer only what changed."};

}  // namespace mora::analysis::passive
