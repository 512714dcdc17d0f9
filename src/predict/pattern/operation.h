/// What an MPI call of a pattern trace is: one closed list, with its names and what it means for the pattern.
/// Sources: MPI-3.1; the spellings of text traces: Kotomatas 2018, Table 3.1 and 3.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mora::predict {

/// What a call moves, and so how it enters matrices and the parser's output.
enum class OperationClass : std::uint8_t {
  local,         ///< nothing moves: init, wait, test, …; barriers too (no payload)
  send,          ///< one message leaves: sends, MPI_Start of a persistent one
  receive,       ///< one message arrives
  sendrecv,      ///< both
  rooted,        ///< collective with a root; Call::peer is it
  rootless,      ///< collective without
  neighborhood,  ///< collective along a topology's edges; counts per neighbour in the vectors
  one_sided,     ///< put, get, accumulate: Call::peer is the target
  communicator,  ///< makes or frees a communicator
  window,        ///< makes, frees, synchronises a window
  file,          ///< MPI-IO: bytes to or from files, no messages
  phase,         ///< phase_begin, phase_end: Call::argument is the phase
};

/// Operation, MPI name without MPI_, MinI's spelling in text traces ("" = it has none: Mora's extension uses the MPI
/// name), class, vector (counts per peer). Non-blocking collectives are their own operations; the *_init forms of
/// persistent calls move nothing, their starts do.
#define MORA_OPERATIONS(X)                                                                           \
  X(init, "Init", "init", local, 0)                                                                  \
  X(finalize, "Finalize", "finalize", local, 0)                                                      \
  X(send, "Send", "send", send, 0)                                                                   \
  X(bsend, "Bsend", "Bsend", send, 0)                                                                \
  X(rsend, "Rsend", "Rsend", send, 0)                                                                \
  X(ssend, "Ssend", "Ssend", send, 0)                                                                \
  X(isend, "Isend", "Isend", send, 0)                                                                \
  X(ibsend, "Ibsend", "", send, 0)                                                                   \
  X(irsend, "Irsend", "", send, 0)                                                                   \
  X(issend, "Issend", "", send, 0)                                                                   \
  X(recv, "Recv", "recv", receive, 0)                                                                \
  X(irecv, "Irecv", "Irecv", receive, 0)                                                             \
  X(mrecv, "Mrecv", "", receive, 0)                                                                  \
  X(imrecv, "Imrecv", "", receive, 0)                                                                \
  X(sendrecv, "Sendrecv", "Sendrecv", sendrecv, 0)                                                   \
  X(sendrecv_replace, "Sendrecv_replace", "", sendrecv, 0)                                           \
  X(send_init, "Send_init", "", local, 0)                                                            \
  X(recv_init, "Recv_init", "", local, 0)                                                            \
  X(collective_init, "Collective_init", "", local, 0)                                                \
  X(start_send, "Start_send", "", send, 0)                                                           \
  X(start_recv, "Start_recv", "", receive, 0)                                                        \
  X(start_collective, "Start_collective", "", local, 0)                                              \
  X(probe, "Probe", "", local, 0)                                                                    \
  X(iprobe, "Iprobe", "", local, 0)                                                                  \
  X(mprobe, "Mprobe", "", local, 0)                                                                  \
  X(improbe, "Improbe", "", local, 0)                                                                \
  X(wait, "Wait", "wait", local, 0)                                                                  \
  X(waitall, "Waitall", "waitall", local, 0)                                                         \
  X(waitany, "Waitany", "Waitany", local, 0)                                                         \
  X(waitsome, "Waitsome", "", local, 0)                                                              \
  X(test, "Test", "Tested", local, 0)                                                                \
  X(testall, "Testall", "", local, 0)                                                                \
  X(testany, "Testany", "", local, 0)                                                                \
  X(testsome, "Testsome", "", local, 0)                                                              \
  X(cancel, "Cancel", "", local, 0)                                                                  \
  X(request_free, "Request_free", "", local, 0)                                                      \
  X(barrier, "Barrier", "barrier", rootless, 0)                                                      \
  X(bcast, "Bcast", "bcast", rooted, 0)                                                              \
  X(reduce, "Reduce", "reduce", rooted, 0)                                                           \
  X(gather, "Gather", "gather", rooted, 0)                                                           \
  X(gatherv, "Gatherv", "gatherv", rooted, 1)                                                        \
  X(scatter, "Scatter", "scatter", rooted, 0)                                                        \
  X(scatterv, "Scatterv", "scatterv", rooted, 1)                                                     \
  X(allreduce, "Allreduce", "allReduce", rootless, 0)                                                \
  X(allgather, "Allgather", "allGather", rootless, 0)                                                \
  X(allgatherv, "Allgatherv", "allgatherv", rootless, 1)                                             \
  X(alltoall, "Alltoall", "allToAll", rootless, 0)                                                   \
  X(alltoallv, "Alltoallv", "alltoAllv", rootless, 1)                                                \
  X(alltoallw, "Alltoallw", "", rootless, 1)                                                         \
  X(reduce_scatter, "Reduce_scatter", "reduceScatter", rootless, 1)                                  \
  X(reduce_scatter_block, "Reduce_scatter_block", "", rootless, 0)                                   \
  X(scan, "Scan", "", rootless, 0)                                                                   \
  X(exscan, "Exscan", "", rootless, 0)                                                               \
  X(ibarrier, "Ibarrier", "", rootless, 0)                                                           \
  X(ibcast, "Ibcast", "", rooted, 0)                                                                 \
  X(ireduce, "Ireduce", "", rooted, 0)                                                               \
  X(igather, "Igather", "", rooted, 0)                                                               \
  X(igatherv, "Igatherv", "", rooted, 1)                                                             \
  X(iscatter, "Iscatter", "", rooted, 0)                                                             \
  X(iscatterv, "Iscatterv", "", rooted, 1)                                                           \
  X(iallreduce, "Iallreduce", "", rootless, 0)                                                       \
  X(iallgather, "Iallgather", "", rootless, 0)                                                       \
  X(iallgatherv, "Iallgatherv", "", rootless, 1)                                                     \
  X(ialltoall, "Ialltoall", "", rootless, 0)                                                         \
  X(ialltoallv, "Ialltoallv", "", rootless, 1)                                                       \
  X(ialltoallw, "Ialltoallw", "", rootless, 1)                                                       \
  X(ireduce_scatter, "Ireduce_scatter", "", rootless, 1)                                             \
  X(ireduce_scatter_block, "Ireduce_scatter_block", "", rootless, 0)                                 \
  X(iscan, "Iscan", "", rootless, 0)                                                                 \
  X(iexscan, "Iexscan", "", rootless, 0)                                                             \
  X(neighbor_allgather, "Neighbor_allgather", "", neighborhood, 0)                                   \
  X(neighbor_allgatherv, "Neighbor_allgatherv", "", neighborhood, 1)                                 \
  X(neighbor_alltoall, "Neighbor_alltoall", "", neighborhood, 0)                                     \
  X(neighbor_alltoallv, "Neighbor_alltoallv", "", neighborhood, 1)                                   \
  X(neighbor_alltoallw, "Neighbor_alltoallw", "", neighborhood, 1)                                   \
  X(ineighbor_allgather, "Ineighbor_allgather", "", neighborhood, 0)                                 \
  X(ineighbor_allgatherv, "Ineighbor_allgatherv", "", neighborhood, 1)                               \
  X(ineighbor_alltoall, "Ineighbor_alltoall", "", neighborhood, 0)                                   \
  X(ineighbor_alltoallv, "Ineighbor_alltoallv", "", neighborhood, 1)                                 \
  X(ineighbor_alltoallw, "Ineighbor_alltoallw", "", neighborhood, 1)                                 \
  X(put, "Put", "", one_sided, 0)                                                                    \
  X(get, "Get", "", one_sided, 0)                                                                    \
  X(accumulate, "Accumulate", "", one_sided, 0)                                                      \
  X(get_accumulate, "Get_accumulate", "", one_sided, 0)                                              \
  X(fetch_and_op, "Fetch_and_op", "", one_sided, 0)                                                  \
  X(compare_and_swap, "Compare_and_swap", "", one_sided, 0)                                          \
  X(rput, "Rput", "", one_sided, 0)                                                                  \
  X(rget, "Rget", "", one_sided, 0)                                                                  \
  X(raccumulate, "Raccumulate", "", one_sided, 0)                                                    \
  X(rget_accumulate, "Rget_accumulate", "", one_sided, 0)                                            \
  X(comm_split, "Comm_split", "", communicator, 0)                                                   \
  X(comm_split_type, "Comm_split_type", "", communicator, 0)                                         \
  X(comm_dup, "Comm_dup", "", communicator, 0)                                                       \
  X(comm_idup, "Comm_idup", "", communicator, 0)                                                     \
  X(comm_create, "Comm_create", "", communicator, 0)                                                 \
  X(comm_create_group, "Comm_create_group", "", communicator, 0)                                     \
  X(intercomm_create, "Intercomm_create", "", communicator, 0)                                       \
  X(intercomm_merge, "Intercomm_merge", "", communicator, 0)                                         \
  X(cart_create, "Cart_create", "", communicator, 0)                                                 \
  X(cart_sub, "Cart_sub", "", communicator, 0)                                                       \
  X(graph_create, "Graph_create", "", communicator, 0)                                               \
  X(dist_graph_create, "Dist_graph_create", "", communicator, 0)                                     \
  X(dist_graph_create_adjacent, "Dist_graph_create_adjacent", "", communicator, 0)                   \
  X(comm_other, "Comm_other", "", communicator, 0) /* spawn, connect, join, found in use */          \
  X(comm_free, "Comm_free", "", communicator, 0)                                                     \
  X(win_create, "Win_create", "", window, 0) /* create, allocate, allocate_shared, create_dynamic */ \
  X(win_free, "Win_free", "", window, 0)                                                             \
  X(win_fence, "Win_fence", "", window, 0)                                                           \
  X(win_post, "Win_post", "", window, 0)                                                             \
  X(win_start, "Win_start", "", window, 0)                                                           \
  X(win_complete, "Win_complete", "", window, 0)                                                     \
  X(win_wait, "Win_wait", "", window, 0)                                                             \
  X(win_lock, "Win_lock", "", window, 0)                                                             \
  X(win_unlock, "Win_unlock", "", window, 0)                                                         \
  X(win_flush, "Win_flush", "", window, 0)                                                           \
  X(file_open, "File_open", "", file, 0)                                                             \
  X(file_close, "File_close", "", file, 0)                                                           \
  X(file_read, "File_read", "", file, 0)                                                             \
  X(file_write, "File_write", "", file, 0)                                                           \
  X(phase_begin, "phase_begin", "", phase, 0)                                                        \
  X(phase_end, "phase_end", "", phase, 0)                                                            \
  X(other, "other", "", local, 0) /* any other MPI call; Call::argument is the id in measure/mpi/function_table.h */

enum class Operation : std::uint8_t {
#define MORA_OPERATION(id, mpi, mini, kind, vector) id,
  MORA_OPERATIONS(MORA_OPERATION)
#undef MORA_OPERATION
};

struct OperationInfo {
  std::string_view mpi_name;  ///< without "MPI_"
  std::string_view spelling;  ///< as written in text traces: MinI's where it has one, else the MPI name
  OperationClass kind = OperationClass::local;
  bool vector = false;
};

/// Constant time; the texts are static.
const OperationInfo& info(Operation operation);
/// By MPI name without prefix ("Sendrecv_replace"), exactly.
std::optional<Operation> operation_of_mpi_name(std::string_view name);
std::size_t operation_count();
/// True for operations that start a request which a later call completes (isend, irecv, ibcast, rput, start_send, …).
bool starts_request(Operation operation);
/// Ibcast → Bcast, Ineighbor_alltoall → Neighbor_alltoall; any other operation is its own.
Operation blocking_form(Operation operation);

}  // namespace mora::predict
