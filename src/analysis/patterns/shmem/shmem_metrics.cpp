/// Texts of OpenSHMEM's wait states; the rules are in domain.cpp.
#include "analysis/patterns/shmem/shmem_metrics.h"

namespace mora::analysis {

namespace {

constexpr std::string_view source = "OpenSHMEM 1.4, 9; Mora's rule collective-files-and-shmem";

MetricInfo wait(std::string_view id, std::string_view name, std::string_view unique_name, std::string_view parent,
                std::string_view summary, std::string_view formula, std::string_view diagnosis, std::string_view advice,
                DelayClass delay, CauseDid cause = CauseDid::entered_late) {
  return MetricInfo{id,        name,   unique_name, parent, cube::Unit::seconds, true, summary, formula, source,
                    diagnosis, advice, delay,       cause};
}

}  // namespace

const MetricInfo shmem_wait_at_init_info =
    wait("shmem-wait-at-init", "SHMEM Wait at Init", "mora_shmem_init_wait", "shmem-init-finalize",
         "A process waits in shmem_init for the last one to enter.",
         "w_p = [min(max_q E_q, L_p) - E_p]+ over all processes; shmem_init, shmem_init_thread, start_pes",
         "The processes do not start together.", "Ignore it in short test runs.", DelayClass::start_and_end);

const MetricInfo shmem_wait_at_finalize_info =
    wait("shmem-wait-at-finalize", "SHMEM Wait at Finalize", "mora_shmem_finalize_wait", "shmem-init-finalize",
         "A process waits in shmem_finalize for the last one to enter.",
         "w_p = [min(max_q E_q, L_p) - E_p]+ over all processes",
         "The processes do not end together. The cause is the one that enters last.",
         "Balance the work over the processes.", DelayClass::start_and_end);

const MetricInfo shmem_wait_at_barrier_info =
    wait("shmem-wait-at-barrier", "SHMEM Wait at Barrier", "mora_shmem_barrier_wait", "shmem-barrier",
         "A process waits in a barrier or sync for the last one to enter.",
         "w_p = [min(max_q B_q, X_p) - B_p]+ over all processes (shmem_barrier_all, sync_all) or over the "
         "active set that the call's record names; 0 if it is not known",
         "The processes do not reach the barrier together. The cause is the one that enters last.",
         "Balance the work before it; use smaller active sets, or wait for values.", DelayClass::barrier);

const MetricInfo shmem_lock_contention_info =
    wait("shmem-lock-contention", "SHMEM Lock Contention", "mora_shmem_lock_contention", "shmem-locks",
         "A process waits in shmem_set_lock for a lock that another one holds.",
         "at the k-th acquisition of a lock: w = [min(t(release k-1), t(acquire k)) - E(call of acquire k)]+ if "
         "another process held it; acquisitions in order of their records; shmem_test_lock never waits",
         "One lock protects too much. The cause is the process that released it last.",
         "Hold it for a shorter time; use several locks, or atomics.", DelayClass::passive_target, CauseDid::held_lock);

const MetricInfo shmem_late_broadcast_info =
    wait("shmem-late-broadcast", "SHMEM Late Broadcast", "mora_shmem_late_broadcast", "shmem-collective",
         "A process waits in a broadcast for a root that enters late.",
         "with root r: w_p = [min(B_r, X_p) - B_p]+ for members with received bytes > 0; the root itself 0. Nothing if "
         "the root sends 0 bytes, or is not recorded",
         "The root arrives later than those who need its data.", "Let the root broadcast before it does its own work.",
         DelayClass::one_to_n);

const MetricInfo shmem_wait_at_nxn_info = wait(
    "shmem-wait-at-nxn", "SHMEM Wait at NxN", "mora_shmem_wait_nxn", "shmem-collective",
    "A process waits in a reduction, collect or alltoall for the last one to enter.",
    "as wait-at-nxn, for shmem_*_to_all, *_reduce, collect, fcollect, alltoall(s)",
    "Each process needs data of all others, and one of them arrives late. The cause is the process that enters last.",
    "Balance the work; do independent work before the call.", DelayClass::n_to_n);

}  // namespace mora::analysis
