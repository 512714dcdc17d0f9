/* Neighbourhood collectives, blocking, non-blocking and persistent (collective.h, neighbors.h). */
#include "hooks.h"
#include "measure/handles/neighbors.h"
#include "measure/hooks/collective_record.h"
#include "measure/pattern/data.h"

/* One side of a call: one count for all, or counts, or counts and types. */
struct side {
  int count;
  const int* counts;
  MPI_Datatype type;
  const MPI_Datatype* types;
};

static void finish(struct mora_call* call, MPI_Comm comm, struct side sent, struct side received,
                   const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, 0);
  static const struct mora_neighbors nobody;
  const struct mora_neighbors* n = c.idle ? &nobody : mora_neighbors_of(comm, c.id);
  const struct mora_edges to = {n->destinations, n->n_destinations, sent.counts, sent.count, sent.type, sent.types};
  const struct mora_edges from = {n->sources,     n->n_sources,  received.counts,
                                  received.count, received.type, received.types};
  mora_data_both(call, sent.counts ? MORA_NO_COUNT : sent.count, sent.type,
                 received.counts ? MORA_NO_COUNT : received.count, received.type);
  mora_neighborhood_end(&c, request, &to, &from);
}

#define EQUAL(count, type) ((struct side){count, NULL, type, NULL})
#define EACH(counts, type) ((struct side){0, counts, type, NULL})
#define EACH_TYPED(counts, types) ((struct side){0, counts, MPI_DATATYPE_NULL, types})

void mora_post_neighbor_allgather(struct mora_call* call, int sendcount, MPI_Datatype sendtype, int recvcount,
                                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  finish(call, comm, EQUAL(sendcount, sendtype), EQUAL(recvcount, recvtype), request);
}

void mora_post_neighbor_allgatherv(struct mora_call* call, int sendcount, MPI_Datatype sendtype, const int recvcounts[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  finish(call, comm, EQUAL(sendcount, sendtype), EACH(recvcounts, recvtype), request);
}

void mora_post_neighbor_alltoallv(struct mora_call* call, const int sendcounts[], MPI_Datatype sendtype,
                                  const int recvcounts[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  finish(call, comm, EACH(sendcounts, sendtype), EACH(recvcounts, recvtype), request);
}

void mora_post_neighbor_alltoallw(struct mora_call* call, const int sendcounts[], const MPI_Datatype sendtypes[],
                                  const int recvcounts[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                  MPI_Request* request) {
  finish(call, comm, EACH_TYPED(sendcounts, sendtypes), EACH_TYPED(recvcounts, recvtypes), request);
}
