/// Texts of the wait states of threads. Their rules: process_threads.cpp (barriers), lock_chain.h (locks),
/// idle_threads.cpp.
#include "analysis/patterns/threads/thread_metrics.h"

namespace mora::analysis {

namespace {

MetricInfo threads_wait(std::string_view id, std::string_view name, std::string_view unique_name,
                        std::string_view parent, std::string_view summary, std::string_view formula,
                        std::string_view source, std::string_view diagnosis, std::string_view advice,
                        CauseDid cause = CauseDid::entered_late, DelayClass delay = DelayClass::threads) {
  return MetricInfo{id,        name,   unique_name, parent, cube::Unit::seconds, true, summary, formula, source,
                    diagnosis, advice, delay,       cause};
}

}  // namespace

const MetricInfo omp_wait_at_explicit_barrier_info = threads_wait(
    "omp-wait-at-explicit-barrier", "Wait at Explicit OpenMP Barrier", "omp_ebarrier_wait", "omp-explicit-barrier",
    "A thread waits in an OpenMP barrier for the last thread of its team to come, or to end its last task there.",
    "w_t = [min(max over the team of D, L_t) - E_t - time of calls nested in the barrier (tasks)]+, D the later of E "
    "and the end of the last task that the thread executes in the barrier; the n-th barrier of each thread within one "
    "team (from fork to join). A barrier that lacks a thread of the team, or whose threads name different regions, has "
    "none.",
    "Scalasca 2.6, Wait at Explicit OpenMP Barrier Time; Mora's rule omp-barriers",
    "The threads do not reach the barrier together, or tasks are too few or too large to keep all of them at work. The "
    "cause is the thread that enters last; once it has, the one whose task ends last.",
    "Balance the work before the barrier; remove it if nothing depends on it.");

const MetricInfo omp_wait_at_implicit_barrier_info = threads_wait(
    "omp-wait-at-implicit-barrier", "Wait at Implicit OpenMP Barrier", "omp_ibarrier_wait", "omp-implicit-barrier",
    "A thread waits at the end of a parallel region or worksharing construct for the last thread of its team.",
    "as omp-wait-at-explicit-barrier, for implicit barriers",
    "Scalasca 2.6, Wait at Implicit OpenMP Barrier Time; Mora's rule omp-barriers",
    "The loop's or region's work is distributed unevenly. The cause is the thread that enters last; once it has, the "
    "one "
    "whose task ends last.",
    "Choose another schedule (dynamic, guided, smaller chunks); use nowait where nothing depends on it.");

const MetricInfo omp_critical_contention_info = threads_wait(
    "omp-critical-contention", "Critical Contention", "omp_lock_contention_critical", "omp-critical",
    "A thread waits before a critical section that another one is in.",
    "at the k-th acquisition of a lock: w = [min(t(release k-1), t(acquire k)) - E(call of acquire k)]+ if "
    "another thread held it; acquisitions in order of their records",
    "Scalasca 2.6, OpenMP Critical Contention Time; Mora's rule omp-barriers",
    "Much work is done under one name of critical section. The cause is the thread that left it last.",
    "Shorten the section, give sections different names, or use atomic and reduction.", CauseDid::held_lock);

const MetricInfo omp_lock_contention_info = threads_wait(
    "omp-lock-contention", "OpenMP Lock Contention", "omp_lock_contention_api", "omp-lock-api",
    "A thread waits in omp_set_lock for a lock that another one holds.",
    "as omp-critical-contention, in omp_set_lock, omp_set_nest_lock; omp_test_lock never waits; taking a lock "
    "again that one holds is no contention",
    "Scalasca 2.6, OpenMP Lock API Contention Time; Mora's rule omp-barriers",
    "One lock protects too much. The cause is the thread that released it last.",
    "Hold it for a shorter time; use several locks.", CauseDid::held_lock);

const MetricInfo pthread_mutex_contention_info =
    threads_wait("pthread-mutex-contention", "Mutex Contention", "pthread_lock_contention_mutex_lock", "pthread-mutex",
                 "A thread waits for a mutex, read-write lock or spin lock of POSIX that another one holds.",
                 "as omp-critical-contention, in pthread_mutex_lock, rwlock_rdlock, rwlock_wrlock, spin_lock and their "
                 "like; trylock never waits. Who reads waits for the last that wrote, who writes for the last of all "
                 "before to release",
                 "Scalasca 2.6, POSIX Threads Mutex Contention Time; Mora's rule omp-barriers",
                 "One lock protects too much. The cause is the thread that released it last.",
                 "Hold it for a shorter time; use several locks.", CauseDid::held_lock);

const MetricInfo pthread_condition_contention_info = threads_wait(
    "pthread-condition-contention", "Condition Contention", "pthread_lock_contention_conditional", "pthread-condition",
    "A thread waits in pthread_cond_wait until the one before it releases the mutex, in sem_wait until another one "
    "posts.",
    "as omp-critical-contention, for the acquisition at the end of pthread_cond_wait, sem_wait and their timed forms: "
    "from its enter to the release of the mutex, the last sem_post",
    "Scalasca 2.6, POSIX Threads Condition Contention Time; Mora's rule omp-barriers",
    "Workers wait for work. The cause is the thread that released the mutex last (mostly the one that signalled), or "
    "posted.",
    "Signal earlier; hand out more work at a time.", CauseDid::held_lock);

const MetricInfo pthread_wait_at_barrier_info =
    threads_wait("pthread-wait-at-barrier", "Wait at POSIX Barrier", "mora_pthread_wait_at_barrier", "pthread-barrier",
                 "A thread waits in pthread_barrier_wait until the last one comes.",
                 "w = [min(E(pthread_barrier_wait of the last thread), L) - E]+: from its enter to the enter of the "
                 "last thread of the "
                 "round, which the recorder notes as a lock that is given back there",
                 "Mora's rule omp-barriers",
                 "The threads do not reach the barrier together. The cause is the thread that enters last.",
                 "Balance the work before the barrier; remove it if nothing depends on it.");

const MetricInfo omp_idle_threads_info = threads_wait(
    "omp-idle-threads", "Idle OpenMP Threads", "omp_idle_threads", "time",
    "Worker threads whose cores are reserved have nothing to do.",
    "time of a worker thread, from the first to the last event of its process, outside its parallel regions and "
    "outside omp-management; at the root of the worker's call tree. The metric Time of a worker includes it: it is the "
    "lifetime of the process",
    "Scalasca 2.6, OpenMP Idle Threads Time; Mora's rule idle-omp-threads",
    "The program works with its master thread only (or with other teams): Amdahl's law. The cause is the thread "
    "that makes the next team.",
    "Parallelise what the master computes in between, or overlap it.", CauseDid::worked);

const MetricInfo omp_limited_parallelism_info =
    threads_wait("omp-limited-parallelism", "Limited Parallelism", "omp_limited_parallelism", "omp-idle-threads",
                 "Worker threads are idle while a smaller team works.",
                 "the part of omp-idle-threads during which some team of the process works without this thread",
                 "Scalasca 2.6, OpenMP Limited Parallelism Time; Mora's rule idle-omp-threads",
                 "A parallel region runs with fewer threads than others.",
                 "Use all threads there, or reserve fewer cores.", CauseDid::worked, DelayClass::none);

}  // namespace mora::analysis
