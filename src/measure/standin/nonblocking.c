/* Non-blocking collective operations: they are done when they are called, and their request is complete. That is
 * allowed: buffers must not be touched until the request is completed. */
#include "measure/standin/messages.h"

/* `handle` is the communicator. */
#define NON_BLOCKING(IX, X, ARGUMENTS, ...)                                           \
  int standin_##IX(__VA_ARGS__, MPI_Comm handle, MPI_Request* request) {              \
    if (!standin_comm_of(handle)) return PMPI_##IX(WITH(ARGUMENTS), handle, request); \
    const int rc = standin_##X(WITH(ARGUMENTS), handle);                              \
    if (rc == MPI_SUCCESS) standin_done_request(STANDIN_COLLECTIVE, request);         \
    return rc;                                                                        \
  }
#define WITH(ARGUMENTS) WITHOUT_BRACKETS ARGUMENTS
#define WITHOUT_BRACKETS(...) __VA_ARGS__

int standin_Ibarrier(MPI_Comm handle, MPI_Request* request) {
  if (!standin_comm_of(handle)) return PMPI_Ibarrier(handle, request);
  standin_done_request(STANDIN_COLLECTIVE, request);
  return MPI_SUCCESS;
}

NON_BLOCKING(Ibcast, Bcast, (buffer, count, type, root), void* buffer, int count, MPI_Datatype type, int root)
NON_BLOCKING(Igather, Gather, (send, send_count, send_type, receive, count, type, root), const void* send,
             int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, int root)
NON_BLOCKING(Igatherv, Gatherv, (send, send_count, send_type, receive, counts, places, type, root), const void* send,
             int send_count, MPI_Datatype send_type, void* receive, const int counts[], const int places[],
             MPI_Datatype type, int root)
NON_BLOCKING(Iscatter, Scatter, (send, send_count, send_type, receive, count, type, root), const void* send,
             int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, int root)
NON_BLOCKING(Iscatterv, Scatterv, (send, counts, places, send_type, receive, count, type, root), const void* send,
             const int counts[], const int places[], MPI_Datatype send_type, void* receive, int count,
             MPI_Datatype type, int root)
NON_BLOCKING(Iallgather, Allgather, (send, send_count, send_type, receive, count, type), const void* send,
             int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type)
NON_BLOCKING(Iallgatherv, Allgatherv, (send, send_count, send_type, receive, counts, places, type), const void* send,
             int send_count, MPI_Datatype send_type, void* receive, const int counts[], const int places[],
             MPI_Datatype type)
NON_BLOCKING(Ialltoall, Alltoall, (send, send_count, send_type, receive, count, type), const void* send, int send_count,
             MPI_Datatype send_type, void* receive, int count, MPI_Datatype type)
NON_BLOCKING(Ialltoallv, Alltoallv, (send, send_counts, send_places, send_type, receive, counts, places, type),
             const void* send, const int send_counts[], const int send_places[], MPI_Datatype send_type, void* receive,
             const int counts[], const int places[], MPI_Datatype type)
NON_BLOCKING(Ialltoallw, Alltoallw, (send, send_counts, send_places, send_types, receive, counts, places, types),
             const void* send, const int send_counts[], const int send_places[], const MPI_Datatype send_types[],
             void* receive, const int counts[], const int places[], const MPI_Datatype types[])
NON_BLOCKING(Ireduce, Reduce, (send, receive, count, type, op, root), const void* send, void* receive, int count,
             MPI_Datatype type, MPI_Op op, int root)
NON_BLOCKING(Iallreduce, Allreduce, (send, receive, count, type, op), const void* send, void* receive, int count,
             MPI_Datatype type, MPI_Op op)
NON_BLOCKING(Iscan, Scan, (send, receive, count, type, op), const void* send, void* receive, int count,
             MPI_Datatype type, MPI_Op op)
NON_BLOCKING(Iexscan, Exscan, (send, receive, count, type, op), const void* send, void* receive, int count,
             MPI_Datatype type, MPI_Op op)
NON_BLOCKING(Ireduce_scatter, Reduce_scatter, (send, receive, counts, type, op), const void* send, void* receive,
             const int counts[], MPI_Datatype type, MPI_Op op)
NON_BLOCKING(Ireduce_scatter_block, Reduce_scatter_block, (send, receive, count, type, op), const void* send,
             void* receive, int count, MPI_Datatype type, MPI_Op op)

NON_BLOCKING(Ineighbor_allgather, Neighbor_allgather, (send, send_count, send_type, receive, count, type),
             const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type)
NON_BLOCKING(Ineighbor_allgatherv, Neighbor_allgatherv, (send, send_count, send_type, receive, counts, places, type),
             const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
             const int places[], MPI_Datatype type)
NON_BLOCKING(Ineighbor_alltoall, Neighbor_alltoall, (send, send_count, send_type, receive, count, type),
             const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type)
NON_BLOCKING(Ineighbor_alltoallv, Neighbor_alltoallv,
             (send, send_counts, send_places, send_type, receive, counts, places, type), const void* send,
             const int send_counts[], const int send_places[], MPI_Datatype send_type, void* receive,
             const int counts[], const int places[], MPI_Datatype type)
NON_BLOCKING(Ineighbor_alltoallw, Neighbor_alltoallw,
             (send, send_counts, send_places, send_types, receive, counts, places, types), const void* send,
             const int send_counts[], const MPI_Aint send_places[], const MPI_Datatype send_types[], void* receive,
             const int counts[], const MPI_Aint places[], const MPI_Datatype types[])
