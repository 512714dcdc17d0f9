/// Texts of the metrics of non-blocking collectives; the rules are in needed_member.cpp and
/// nonblocking_collectives.cpp.
#include "analysis/patterns/nonblocking/needed_member.h"

namespace mora::analysis {

namespace {

constexpr std::string_view own = "Mora's rule nonblocking-collectives";

MetricInfo by_operation(std::string_view id, std::string_view name, std::string_view unique_name,
                        std::string_view summary, std::string_view formula, std::string_view advice) {
  return MetricInfo{id,
                    name,
                    unique_name,
                    "nonblocking-collective-wait",
                    cube::Unit::seconds,
                    true,
                    summary,
                    formula,
                    own,
                    "See nonblocking-collective-wait; the cause's call path is its start call.",
                    advice};
}

}  // namespace

const MetricInfo nonblocking_collective_wait_info{
    "nonblocking-collective-wait",
    "Non-blocking Collective Wait",
    "mora_nonblocking_collective_wait",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank waits for a non-blocking collective that a needed rank has not started.",
    "W = the MPI_Wait* call that completed the operation on p (a test alone never waits; of a loop of tests its "
    "stretches, rule poll-loops), N_p = max E(start_q) over the "
    "ranks q that p needs data of (barrier: all; see the children). w = [min(N_p, L(W)) - E(W)]+, charged to W, once "
    "per call: the maximum over the operations that it completed (ties: the first of the children, then the smallest "
    "cause). Of a call "
    "that completed a message or a one-sided transfer, too: what does not lie in a wait for these that ends before N_p "
    "(rule mixed-waits). The n-th started operation of each "
    "member on a communicator instance is one operation. N_p > L(W) contradicts the clocks: cut at L(W), counted as "
    "clock-violation.",
    own,
    "The rank reaches its wait before another one has even started the operation: the overlap is too short, or the "
    "other is late. The cause is the rank that starts last.",
    "Start the operation as early as possible on all ranks; balance the work before the start; compute more before the "
    "wait.",
    DelayClass::nonblocking};

const MetricInfo nonblocking_wait_at_barrier_info =
    by_operation("nonblocking-wait-at-barrier", "Non-blocking Wait at Barrier", "mora_nonblocking_barrier_wait",
                 "A rank waits for an MPI_Ibarrier that another rank has not started.", "needed: all members",
                 "Start MPI_Ibarrier early.");
const MetricInfo nonblocking_late_broadcast_info = by_operation(
    "nonblocking-late-broadcast", "Non-blocking Late Broadcast", "mora_nonblocking_late_broadcast",
    "A rank waits for an MPI_Ibcast, Iscatter or Iscatterv that the root has not started.",
    "needed by members that receive bytes > 0: the root, if it sends bytes > 0", "Let the root start first.");
const MetricInfo nonblocking_early_reduce_info = by_operation(
    "nonblocking-early-reduce", "Non-blocking Early Reduce", "mora_nonblocking_early_reduce",
    "The root waits for an MPI_Ireduce, Igather or Igatherv that a sender has not started.",
    "needed by a root that receives bytes > 0: the members that send bytes > 0", "Let the root wait later.");
const MetricInfo nonblocking_early_scan_info =
    by_operation("nonblocking-early-scan", "Non-blocking Early Scan", "mora_nonblocking_early_scan",
                 "A rank waits for an MPI_Iscan or Iexscan that a smaller rank has not started.",
                 "needed by members that send or receive: members of smaller rank that send bytes > 0",
                 "Balance the work before the start.");
const MetricInfo nonblocking_wait_at_nxn_info = by_operation(
    "nonblocking-wait-at-nxn", "Non-blocking Wait at NxN", "mora_nonblocking_nxn_wait",
    "A rank waits for an MPI_Iallreduce, Iallgather(v), Ialltoall(v, w) or Ireduce_scatter(_block) that another rank "
    "has not started.",
    "needed by members that receive bytes > 0: the members that send bytes > 0; of Ialltoallv and Ialltoallw those "
    "that p receives bytes from by the recorded counts; without recorded counts no waiting",
    "Start early and complete late.");
const MetricInfo nonblocking_wait_at_neighborhood_info = by_operation(
    "nonblocking-wait-at-neighborhood", "Non-blocking Wait at Neighborhood", "mora_nonblocking_neighborhood_wait",
    "A rank waits for an MPI_Ineighbor_… that a neighbour has not started.",
    "needed: the neighbours that p receives bytes > 0 from", "Compute the interior before the wait.");

const MetricInfo nonblocking_progress_info{
    "nonblocking-progress",
    "Non-blocking Collective Waits for Progress",
    "mora_nonblocking_progress",
    "collective",
    cube::Unit::seconds,
    true,
    "All needed ranks have started a non-blocking collective, but it does not end before one of them waits for it, "
    "too.",
    "W and N_p as in nonblocking-collective-wait, N_p at least E(W); C_p = max E(W_q) <= L(W) over the ranks q that p "
    "needs data of (see there), E(W_q) = enter of the call that completed the operation on q, of a loop of tests the "
    "begin of its last stretch. w = C_p - N_p, if L(W) - C_p <= w. Of calls that completed several operations the "
    "latest N_p and C_p count; of calls that completed a message too: none.",
    "Mora's rule waits-for-progress",
    "The library moves the operation only inside of MPI calls: one rank has started it and computes. The cause is the "
    "rank that comes to complete it last.",
    "Test for the operation while computing (MPI_Test), or let a thread progress it; if that rank started late, see "
    "why.",
    DelayClass::nonblocking,
    CauseDid::came_for_progress};

const MetricInfo nonblocking_collective_time_info{
    "nonblocking-collective-time",
    "Non-blocking Collective Time",
    "mora_nonblocking_collective_time",
    "",
    cube::Unit::seconds,
    false,
    "How long non-blocking collectives were under way between start and completing call.",
    "sum over completed operations of [E(completing call) - L(start call)]+, at the call path of the start; operations "
    "under way at once count each. Not a part of time.",
    own,
    "The time that computation could overlap with. Small compared with the time in collectives: the operation is "
    "completed right after its start.",
    "Move independent computation between start and wait."};

const MetricInfo nonblocking_collective_overlap_info{
    "nonblocking-collective-overlap",
    "Non-blocking Collective Overlap",
    "mora_nonblocking_collective_overlap",
    "nonblocking-collective-time",
    cube::Unit::seconds,
    false,
    "How much of the time that non-blocking collectives were under way was computation of the same location.",
    "the part of [L(start call), E(completing call)] outside MPI calls, overhead and unrecorded stretches",
    own,
    "What the non-blocking form is used for. That the operation progressed meanwhile is not known: see the wait.",
    "If waits stay long despite overlap, call MPI_Test now and then or let the library progress by a thread."};

}  // namespace mora::analysis
