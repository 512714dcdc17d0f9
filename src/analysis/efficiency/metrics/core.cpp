/// Texts of time without a core and in the kernel; the readings are match/counter_readings.h, the rule plain_times.cpp.
/// What is counted of whole intervals: match/interval_shares.h.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo not_running_info{
    "not-running",
    "Not Running",
    "mora_not_running",
    "",
    cube::Unit::seconds,
    false,
    "Part of computation in which the thread did not run: it slept, was blocked (files, pages), or had no core.",
    "own time of a call path of computation x (1 - CPU time / time) of those of its executions on this location at "
    "whose "
    "begin and end the scheduler's counters were read; where it has none, of all computation of the location that was "
    "read",
    "Mora's rule not-running",
    "This time looks like computation, but nothing was computed in it.",
    "See computation-without-core; else look for input and output, sleep and page faults in this code."};

const MetricInfo computation_without_core_info{
    "computation-without-core",
    "Computation without a Core",
    "mora_computation_without_core",
    "not-running",
    cube::Unit::seconds,
    false,
    "Part of computation in which the thread could have run, and had no core: others ran on those that it may use.",
    "as not-running, with time in the run queue instead of (time - CPU time); at most not-running",
    "Mora's rule not-running",
    "More processes and threads want to run than there are cores for them, or a limit holds the process back.",
    "Start at most as many processes (and threads) as there are cores, bind them, and keep other programs off."};

const MetricInfo run_queue_wait_info{
    "run-queue-wait",
    "Waiting for a Core",
    "mora_run_queue_wait",
    "",
    cube::Unit::seconds,
    false,
    "All time in which the thread could have run, and had no core, inside MPI, too.",
    "sum of the differences between consecutive readings of the time in the run queue on a location, from the end of "
    "MPI_Init to the begin of MPI_Finalize, without those between which OpenSHMEM was started or ended; at the "
    "innermost interval, or the program (Mora's rule counts-of-intervals). As far as it lies in MPI calls that wait "
    "anyway it costs nothing by itself",
    "Mora's rule not-running; Mora's rule counts-of-intervals",
    "More processes and threads want to run than there are cores for them, or a limit holds the process back.",
    "Start at most as many processes (and threads) as there are cores, bind them, and keep other programs off."};

const MetricInfo cpu_time_info{"cpu-time",
                               "CPU Time",
                               "mora_cpu_time",
                               "",
                               cube::Unit::seconds,
                               false,
                               "All time in which the thread ran, inside MPI, too.",
                               "as run-queue-wait, of the CPU time of the thread",
                               "Mora's rule counts-of-intervals",
                               "Time that is neither CPU time nor waiting for a core was spent asleep, or blocked.",
                               "Compare it with the time of the interval: see not-running for computation; ranks that "
                               "wait in MPI may sleep, too."};

const MetricInfo core_readings_info{
    "core-readings",
    "Stretches of Computation Read",
    "mora_core_readings",
    "",
    cube::Unit::occurrences,
    false,
    "Stretches of computation at both ends of which the scheduler's counters were read.",
    "number of stretches between two MPI calls of which not-running knows exactly how long the thread ran",
    "Mora's rule not-running",
    "A call path of which few stretches were read has an uncertain not-running.",
    "Measure a longer run if it matters."};

const MetricInfo computation_in_kernel_info{
    "computation-in-kernel",
    "Computation in the Kernel",
    "mora_computation_in_kernel",
    "",
    cube::Unit::seconds,
    false,
    "Part of computation in which the thread ran in the kernel: page faults, files, system calls.",
    "as not-running, with system time instead of (time - CPU time); at most the time in which it ran. Kernels may "
    "count "
    "that time by ticks: it is exact only in sums over many of them",
    "Mora's rule not-running",
    "This time looks like computation, but the operating system worked.",
    "See page-faults; else look for system calls in this code (strace -c)."};

const MetricInfo page_faults_info{
    "page-faults",
    "Page Faults",
    "mora_page_faults",
    "",
    cube::Unit::occurrences,
    false,
    "Accesses of computation to memory that was not there yet: touched for the first time, moved, or on disk.",
    "page faults of the thread in those executions whose begin and end were read (core-readings): a lower bound",
    "Mora's rule not-running",
    "Memory that is touched for the first time, or was given back and is allocated again, is made page by page.",
    "Allocate once and keep the memory; use larger pages; on nodes of several sockets touch it where it is used."};

const MetricInfo voluntary_switches_info{
    "voluntary-switches",
    "Voluntary Switches",
    "mora_voluntary_switches",
    "",
    cube::Unit::occurrences,
    false,
    "How often the thread gave up its core during computation: to sleep, or to wait for a file, a lock, a page.",
    "voluntary context switches in those executions whose begin and end were read (core-readings): a lower bound",
    "Mora's rule not-running",
    "The computation waits for something that is not MPI.",
    "Look for input and output, sleep and locks in this code."};

const MetricInfo involuntary_switches_info{
    "involuntary-switches",
    "Involuntary Switches",
    "mora_involuntary_switches",
    "",
    cube::Unit::occurrences,
    false,
    "How often the core was taken from the thread during computation, because others wanted it or its time was up.",
    "involuntary context switches in those executions whose begin and end were read (core-readings): a lower bound",
    "Mora's rule not-running",
    "Others run on the cores of this process.",
    "Start at most as many processes (and threads) as there are cores, bind them, and keep other programs off."};

const MetricInfo all_page_faults_info{
    "all-page-faults",
    "All Page Faults",
    "mora_all_page_faults",
    "",
    cube::Unit::occurrences,
    false,
    "Page faults of the thread, inside MPI, too.",
    "as run-queue-wait, of page faults with and without input",
    "Mora's rule counts-of-intervals",
    "Memory that is touched for the first time, or was given back and is allocated again, is made page by page.",
    "See page-faults for those of computation."};

const MetricInfo all_voluntary_switches_info{
    "all-voluntary-switches",
    "All Voluntary Switches",
    "mora_all_voluntary_switches",
    "",
    cube::Unit::occurrences,
    false,
    "How often the thread gave up its core, inside MPI, too.",
    "as run-queue-wait, of voluntary context switches",
    "Mora's rule counts-of-intervals",
    "The thread waited for something: a message, a file, a lock, a page, or time to pass.",
    "See voluntary-switches for those of computation."};

const MetricInfo all_involuntary_switches_info{
    "all-involuntary-switches",
    "All Involuntary Switches",
    "mora_all_involuntary_switches",
    "",
    cube::Unit::occurrences,
    false,
    "How often the core was taken from the thread, inside MPI, too.",
    "as run-queue-wait, of involuntary context switches",
    "Mora's rule counts-of-intervals",
    "Others run on the cores of this process.",
    "Start at most as many processes (and threads) as there are cores, bind them, and keep other programs off."};

}  // namespace mora::analysis
