/// Plain times: where a location's lifetime went, by the name of the call.
#include "analysis/metrics/registry.h"

namespace mora::analysis {

namespace {

constexpr std::string_view exp_source = "spec/000 2.15.3; spec/wait-states.md 2.1";

MetricInfo time(std::string_view id, std::string_view name, std::string_view unique_name, std::string_view parent,
                std::string_view summary, std::string_view formula, std::string_view source, std::string_view diagnosis,
                std::string_view advice) {
  return MetricInfo{id,      name,   unique_name, parent, cube::Unit::seconds, false, summary,
                    formula, source, diagnosis,   advice};
}

}  // namespace

const std::vector<MetricInfo>& time_metrics() {
  static const std::vector<MetricInfo> metrics = {
      time("time", "Time", "time", "", "All time of all locations.",
           "sum over locations of last event - first event; exclusive times over a location's call tree sum to it "
           "exactly",
           exp_source, "The whole run; everything below is a part of it.", "Look at the largest child."),
      time("execution", "Execution", "execution", "time", "Time in the program itself.", "time - overhead - unrecorded",
           exp_source, "What the program did, the recorder left out.", "Compare computation with mpi."),
      time("computation", "Computation", "comp", "execution", "Time outside MPI calls.",
           "exclusive time of user regions and of the computation between MPI calls", exp_source,
           "Useful work, as far as MPI can tell. Compare ranks: differences here become waiting elsewhere.",
           "Balance it over the ranks; then make it faster."),
      time("mpi", "MPI", "mpi", "execution", "Time in MPI calls.",
           "sum of L - E over MPI calls (nested calls belong to the outer one's subtree)", exp_source,
           "Communication, synchronisation and management together.", "Look at the children and at the wait states."),
      time("mpi-management", "MPI Management", "mpi_management", "mpi", "Time in MPI calls that set up and take down.",
           "init-finalize + mpi-communicator + mpi-file", exp_source,
           "Large when a program is short, or creates communicators often.",
           "Create communicators once; measure a longer run."),
      time("init-finalize", "MPI Init/Finalize", "mpi_init_exit", "mpi-management",
           "Time in MPI_Init, MPI_Init_thread and MPI_Finalize.", "sum of L - E", exp_source,
           "Start and end of MPI; see its wait states.", "Ignore it in short test runs."),
      time("mpi-communicator", "MPI Communicator", "mpi_mgmt_comm", "mpi-management",
           "Time in calls that make or ask communicators, groups and topologies.",
           "sum of L - E over MPI_Comm_*, MPI_Group_*, MPI_Cart*, MPI_Graph*, MPI_Intercomm_*", exp_source,
           "Communicator creation is collective and not cheap.", "Create communicators once, outside loops."),
      time("mpi-file", "MPI File Management", "mpi_mgmt_file", "mpi-management",
           "Time in calls that open, close and set up files.", "sum of L - E over MPI_File_open, close, set_*, get_* …",
           exp_source, "Opening a file is collective and goes to the file server.", "Open files once."),
      time("synchronization", "MPI Synchronization", "mpi_synchronization", "mpi",
           "Time in calls that only synchronise.", "synchronization-collective + synchronization-one-sided",
           "spec/000 EXP-21 (KOJAK 3.1: barrier and one-sided together)", "No data move here.",
           "Look for barriers that nothing depends on."),
      time("synchronization-collective", "Collective Synchronization", "mpi_sync_collective", "synchronization",
           "Time in barriers.", "barrier", exp_source, "See barrier.", "See barrier."),
      time("barrier", "Barrier", "mora_barrier", "synchronization-collective", "Time in MPI_Barrier.",
           "sum of L - E over MPI_Barrier, MPI_Ibarrier", "spec/000 EXP-22",
           "Waiting for the last rank, and the barrier's own cost.",
           "Remove barriers that are not needed; balance the work before the others."),
      time("synchronization-one-sided", "One-Sided Synchronization", "mpi_rma_synchronization", "synchronization",
           "Time in calls that synchronise one-sided communication.",
           "window-handling + fence + locks + post-start-complete-wait",
           "spec/000 EXP-23, EXP-28 (window handling contains a barrier)", "The price of access epochs.",
           "Fewer, larger epochs; the weakest synchronisation that is right."),
      time("window-handling", "Window Handling", "mpi_mgmt_win", "synchronization-one-sided",
           "Time in calls that create and free windows.",
           "sum of L - E over MPI_Win_create, allocate(_shared), create_dynamic, attach, detach, free",
           "spec/000 EXP-24", "Creating a window is collective and registers memory.", "Create windows once."),
      time("fence", "Fence", "mora_rma_fence", "synchronization-one-sided", "Time in MPI_Win_fence.", "sum of L - E",
           "spec/000 EXP-25", "Waiting for the last rank, and for transfers to end.",
           "See wait-at-fence; use assertions where they are true."),
      time("locks", "Locks", "mpi_rma_sync_passive", "synchronization-one-sided",
           "Time in passive-target synchronisation.",
           "sum of L - E over MPI_Win_lock(_all), unlock(_all), flush*, sync", "spec/000 EXP-26",
           "Waiting for a lock or for transfers to end; which MPI call blocks depends on the MPI library.",
           "Hold locks shortly; use shared locks where possible."),
      time("post-start-complete-wait", "Post-Start-Complete-Wait", "mpi_rma_sync_active_gats",
           "synchronization-one-sided", "Time in general active target synchronisation.",
           "sum of L - E over MPI_Win_post, start, complete, wait, test", "spec/000 EXP-27",
           "Waiting for partners to open or close their epochs.",
           "Post early; complete directly after the last access."),
      time("communication", "MPI Communication", "mpi_communication", "mpi", "Time in calls that move data.",
           "point-to-point + collective + one-sided", exp_source, "Transfers and the waiting in them.",
           "Separate waiting (wait states) from transfer before changing anything."),
      time("point-to-point", "Point-to-Point", "mpi_point2point", "communication",
           "Time in sends, receives, probes and waits.",
           "sum of L - E over MPI_Send … MPI_Recv …, Wait*, Test*, Probe*, Sendrecv*, Start*", exp_source,
           "All MPI_Wait* count here, whatever the request.", "See late-sender and late-receiver."),
      time("collective", "Collective Communication", "mpi_collective", "communication",
           "Time in collective calls that move data.",
           "sum of L - E over MPI_Bcast … MPI_Exscan, also non-blocking and neighbourhood forms", exp_source,
           "Waiting for the last rank, and the operation's own cost.", "See the wait states below it."),
      time("one-sided", "One-Sided Communication", "mpi_rma_communication", "communication",
           "Time in MPI_Put, MPI_Get, MPI_Accumulate and their like.", "sum of L - E", "spec/000 EXP-20",
           "Transfers mostly do not block here; large values mean that the MPI library transfers at once.",
           "Combine small transfers."),
      time("mpi-io", "MPI File I/O", "mpi_io", "mpi", "Time in reads and writes of files through MPI.",
           "sum of L - E over MPI_File_read*, write*, iread*, iwrite*, seek*, sync …", exp_source,
           "The file system, or collective I/O waiting for the last rank.",
           "Write less often and more at once; use collective I/O."),
      time("overhead", "Overhead", "overhead", "time", "Time of the recorder itself.",
           "sum over buffer flushes outside MPI calls of end - begin", "spec/wait-states.md 2.1",
           "Flushes disturb everything near them.", "Use a larger buffer, or record less."),
      time("unrecorded", "Not Recorded", "mora_unrecorded", "time", "Time in which recording was off.",
           "sum over stretches from recording off to recording on", "docs/formats/metrics.md",
           "Nothing is known of it. No waiting is claimed for calls that reach into it.",
           "Switch recording on there, or ignore it."),
  };
  return metrics;
}

}  // namespace mora::analysis
