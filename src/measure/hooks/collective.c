/* Collective calls: which bytes are whose (collective.h). `request`: NULL in blocking forms; what is recorded at a
 * persistent one belongs to every MPI_Start of its request. */
#include "hooks.h"
#include "measure/call/status.h"
#include "measure/hooks/collective_record.h"
#include "measure/pattern/data.h"

/* Bytes of `count` elements, unless nothing moved. */
static uint64_t bytes(const struct mora_collective* c, MPI_Datatype type, int count) {
  return c->idle || count <= 0 ? 0 : mora_type_bytes(type, (uint64_t)count);
}

/* Processes whose share moves: all, but with MPI_IN_PLACE not this one. */
static uint64_t others(const struct mora_collective* c) { return c->peers - (c->in_place && !c->inter); }

/* The rank whose share a vector leaves out, or -1. Pattern mode keeps the arguments as they are: the own share of
 * MPI_Allgatherv in place is known to its owner alone, and every algorithm moves it. */
static int self(const struct mora_collective* c) { return c->in_place && !c->inter && !mora_pattern ? c->rank : -1; }

/* Pattern mode: the type of a side that has a meaning here. */
static MPI_Datatype unless(int insignificant, MPI_Datatype type) { return insignificant ? MPI_DATATYPE_NULL : type; }

/* In a rooted call: this process's own side of it is not used. */
static int no_share(const struct mora_collective* c) { return c->idle || c->in_place || (c->inter && c->at_root); }

void mora_post_barrier(struct mora_call* call, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, 0);
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_bcast(struct mora_call* call, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                     MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, 0);
  const uint64_t n = bytes(&c, datatype, count);
  if (c.at_root) c.sent = c.peers * n;
  if (!(c.inter && c.at_root)) c.received = n;
  mora_data_both(call, count, unless(c.idle, datatype), count, unless(c.idle, datatype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_gather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = bytes(&c, sendtype, sendcount);
  if (c.at_root) c.received = others(&c) * bytes(&c, recvtype, recvcount);
  mora_data_both(call, sendcount, unless(no_share(&c), sendtype), recvcount, unless(!c.at_root, recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_gatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                       const int recvcounts[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  const struct mora_vector v = {c.at_root ? recvcounts : NULL, recvtype, NULL, c.peers, self(&c)};
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = bytes(&c, sendtype, sendcount);
  if (!c.idle) c.received = mora_vector_bytes(&v);
  mora_data_both(call, sendcount, unless(no_share(&c), sendtype), MORA_NO_COUNT, unless(!c.at_root, recvtype));
  mora_collective_end(&c, request, NULL, &v);
}

void mora_post_scatter(struct mora_call* call, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, recvbuf == MPI_IN_PLACE);
  if (c.at_root) c.sent = others(&c) * bytes(&c, sendtype, sendcount);
  if (!c.in_place && !(c.inter && c.at_root)) c.received = bytes(&c, recvtype, recvcount);
  mora_data_both(call, sendcount, unless(!c.at_root, sendtype), recvcount, unless(no_share(&c), recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_scatterv(struct mora_call* call, const int sendcounts[], MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, recvbuf == MPI_IN_PLACE);
  const struct mora_vector v = {c.at_root ? sendcounts : NULL, sendtype, NULL, c.peers, self(&c)};
  if (!c.idle) c.sent = mora_vector_bytes(&v);
  if (!c.in_place && !(c.inter && c.at_root)) c.received = bytes(&c, recvtype, recvcount);
  mora_data_both(call, MORA_NO_COUNT, unless(!c.at_root, sendtype), recvcount, unless(no_share(&c), recvtype));
  mora_collective_end(&c, request, &v, NULL);
}

/* Also MPI_Alltoall. */
void mora_post_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.received = others(&c) * bytes(&c, recvtype, recvcount);
  c.sent = c.in_place ? c.received : c.peers * bytes(&c, sendtype, sendcount);
  mora_data_both(call, sendcount, unless(c.in_place || c.idle, sendtype), recvcount, unless(c.idle, recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                          const int recvcounts[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  const struct mora_vector v = {recvcounts, recvtype, NULL, c.peers, self(&c)};
  if (!c.idle) {
    c.received = mora_vector_bytes(&v);
    c.sent =
        c.in_place ? others(&c) * bytes(&c, recvtype, recvcounts[c.rank]) : c.peers * bytes(&c, sendtype, sendcount);
  }
  mora_data_both(call, sendcount, unless(c.in_place || c.idle, sendtype), MORA_NO_COUNT, unless(c.idle, recvtype));
  mora_collective_end(&c, request, NULL, &v);
}

void mora_post_alltoallvw(struct mora_call* call, const void* sendbuf, const int sendcounts[], MPI_Datatype sendtype,
                          const MPI_Datatype sendtypes[], const int recvcounts[], MPI_Datatype recvtype,
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  const struct mora_vector received = {recvcounts, recvtype, recvtypes, c.peers, self(&c)};
  const struct mora_vector own = {sendcounts, sendtype, sendtypes, c.peers, -1};
  const struct mora_vector* sent = c.in_place ? &received : &own;
  if (!c.idle) {
    c.sent = mora_vector_bytes(sent);
    c.received = mora_vector_bytes(&received);
  }
  mora_data_both(call, MORA_NO_COUNT, unless(c.in_place || c.idle, sendtype), MORA_NO_COUNT, unless(c.idle, recvtype));
  mora_collective_end(&c, request, sent, &received);
}

void mora_post_reduce(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype datatype, int root,
                      MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  const uint64_t n = bytes(&c, datatype, count);
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = n;
  if (c.at_root) c.received = others(&c) * n;
  mora_data_both(call, count, unless(c.idle, datatype), count, unless(c.idle, datatype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_allreduce(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype datatype, MPI_Comm comm,
                         MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.sent = c.received = others(&c) * bytes(&c, datatype, count);
  mora_data_both(call, count, unless(c.idle, datatype), count, unless(c.idle, datatype));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_reduce_scatter(struct mora_call* call, const void* sendbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  /* The blocks go to one's own group's length of counts; on an inter-communicator the other group's blocks are not
   * known here: no vector. */
  const struct mora_vector v = {c.inter ? NULL : recvcounts, datatype, NULL, c.peers, self(&c)};
  if (!c.idle) {
    c.sent = mora_vector_bytes(&v);
    c.received = others(&c) * bytes(&c, datatype, recvcounts[c.rank]);
    if (c.inter) c.sent = c.received;
  }
  mora_data_both(call, MORA_NO_COUNT, unless(c.idle, datatype), c.idle ? 0 : recvcounts[c.rank],
                 unless(c.idle, datatype));
  mora_collective_end(&c, request, &v, NULL);
}

void mora_post_reduce_scatter_block(struct mora_call* call, const void* sendbuf, int recvcount, MPI_Datatype datatype,
                                    MPI_Comm comm, MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.sent = c.received = others(&c) * bytes(&c, datatype, recvcount);
  mora_data_both(call, recvcount, unless(c.idle, datatype), recvcount, unless(c.idle, datatype));
  mora_collective_end(&c, request, NULL, NULL);
}

/* Process r sends to the ranks above it and receives from those below; MPI_Scan counts itself, too. */
static void scan(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype type, int exclusive,
                 MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  const uint64_t n = bytes(&c, type, count), own = exclusive || c.in_place ? 0 : 1;
  const uint64_t before = (uint64_t)c.rank, behind = c.peers > before ? c.peers - before - 1 : 0;
  c.sent = (behind + own) * n;
  c.received = (before + own) * n;
  mora_data_both(call, count, unless(c.idle, type), count, unless(c.idle, type));
  mora_collective_end(&c, request, NULL, NULL);
}

void mora_post_scan(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype datatype, MPI_Comm comm,
                    MPI_Request* request) {
  scan(call, sendbuf, count, datatype, 0, comm, request);
}

void mora_post_exscan(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype datatype, MPI_Comm comm,
                      MPI_Request* request) {
  scan(call, sendbuf, count, datatype, 1, comm, request);
}
