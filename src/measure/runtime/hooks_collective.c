/* Collective calls: which bytes are whose (collective.h). Blocking and non-blocking forms share one body each. */
#include "measure/pattern/data.h"
#include "measure/runtime/collective.h"
#include "measure/runtime/hooks.h"
#include "measure/runtime/status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

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

static void barrier(struct mora_call* call, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, 0);
  mora_collective_end(&c, request, NULL, NULL);
}

static void bcast(struct mora_call* call, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, 0);
  const uint64_t n = bytes(&c, type, count);
  if (c.at_root) c.sent = c.peers * n;
  if (!(c.inter && c.at_root)) c.received = n;
  mora_data_both(call, count, unless(c.idle, type), count, unless(c.idle, type));
  mora_collective_end(&c, request, NULL, NULL);
}

static void gather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = bytes(&c, sendtype, sendcount);
  if (c.at_root) c.received = others(&c) * bytes(&c, recvtype, recvcount);
  mora_data_both(call, sendcount, unless(no_share(&c), sendtype), recvcount, unless(!c.at_root, recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

static void gatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                    const int* recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  const struct mora_vector v = {c.at_root ? recvcounts : NULL, recvtype, NULL, c.peers, self(&c)};
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = bytes(&c, sendtype, sendcount);
  if (!c.idle) c.received = mora_vector_bytes(&v);
  mora_data_both(call, sendcount, unless(no_share(&c), sendtype), MORA_NO_COUNT, unless(!c.at_root, recvtype));
  mora_collective_end(&c, request, NULL, &v);
}

static void scatter(struct mora_call* call, int sendcount, MPI_Datatype sendtype, const void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, recvbuf == MPI_IN_PLACE);
  if (c.at_root) c.sent = others(&c) * bytes(&c, sendtype, sendcount);
  if (!c.in_place && !(c.inter && c.at_root)) c.received = bytes(&c, recvtype, recvcount);
  mora_data_both(call, sendcount, unless(!c.at_root, sendtype), recvcount, unless(no_share(&c), recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

static void scatterv(struct mora_call* call, const int* sendcounts, MPI_Datatype sendtype, const void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, recvbuf == MPI_IN_PLACE);
  const struct mora_vector v = {c.at_root ? sendcounts : NULL, sendtype, NULL, c.peers, self(&c)};
  if (!c.idle) c.sent = mora_vector_bytes(&v);
  if (!c.in_place && !(c.inter && c.at_root)) c.received = bytes(&c, recvtype, recvcount);
  mora_data_both(call, MORA_NO_COUNT, unless(!c.at_root, sendtype), recvcount, unless(no_share(&c), recvtype));
  mora_collective_end(&c, request, &v, NULL);
}

static void allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.received = others(&c) * bytes(&c, recvtype, recvcount);
  c.sent = c.in_place ? c.received : c.peers * bytes(&c, sendtype, sendcount);
  mora_data_both(call, sendcount, unless(c.in_place || c.idle, sendtype), recvcount, unless(c.idle, recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

static void allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                       const int* recvcounts, MPI_Datatype recvtype, MPI_Comm comm, const MPI_Request* request) {
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

static void alltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.received = others(&c) * bytes(&c, recvtype, recvcount);
  c.sent = c.in_place ? c.received : c.peers * bytes(&c, sendtype, sendcount);
  mora_data_both(call, sendcount, unless(c.in_place || c.idle, sendtype), recvcount, unless(c.idle, recvtype));
  mora_collective_end(&c, request, NULL, NULL);
}

static void alltoallvw(struct mora_call* call, const void* sendbuf, const int* sendcounts, MPI_Datatype sendtype,
                       const MPI_Datatype* sendtypes, const int* recvcounts, MPI_Datatype recvtype,
                       const MPI_Datatype* recvtypes, MPI_Comm comm, const MPI_Request* request) {
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

static void reduce(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                   const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 1, root, sendbuf == MPI_IN_PLACE);
  const uint64_t n = bytes(&c, type, count);
  if (!c.in_place && !(c.inter && c.at_root)) c.sent = n;
  if (c.at_root) c.received = others(&c) * n;
  mora_data_both(call, count, unless(c.idle, type), count, unless(c.idle, type));
  mora_collective_end(&c, request, NULL, NULL);
}

static void allreduce(struct mora_call* call, const void* sendbuf, int count, MPI_Datatype type, MPI_Comm comm,
                      const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.sent = c.received = others(&c) * bytes(&c, type, count);
  mora_data_both(call, count, unless(c.idle, type), count, unless(c.idle, type));
  mora_collective_end(&c, request, NULL, NULL);
}

static void reduce_scatter(struct mora_call* call, const void* sendbuf, const int* recvcounts, MPI_Datatype type,
                           MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  /* The blocks go to one's own group's length of counts; on an inter-communicator the other group's blocks are not
   * known here: no vector. */
  const struct mora_vector v = {c.inter ? NULL : recvcounts, type, NULL, c.peers, self(&c)};
  if (!c.idle) {
    c.sent = mora_vector_bytes(&v);
    c.received = others(&c) * bytes(&c, type, recvcounts[c.rank]);
    if (c.inter) c.sent = c.received;
  }
  mora_data_both(call, MORA_NO_COUNT, unless(c.idle, type), c.idle ? 0 : recvcounts[c.rank], unless(c.idle, type));
  mora_collective_end(&c, request, &v, NULL);
}

static void reduce_scatter_block(struct mora_call* call, const void* sendbuf, int recvcount, MPI_Datatype type,
                                 MPI_Comm comm, const MPI_Request* request) {
  struct mora_collective c = mora_collective_begin(call, comm, 0, 0, sendbuf == MPI_IN_PLACE);
  c.sent = c.received = others(&c) * bytes(&c, type, recvcount);
  mora_data_both(call, recvcount, unless(c.idle, type), recvcount, unless(c.idle, type));
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

void mora_post_barrier(struct mora_call* call, MPI_Comm comm) { barrier(call, comm, NULL); }

void mora_post_bcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  bcast(call, count, datatype, root, comm, NULL);
}

void mora_post_gather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  gather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm, NULL);
}

void mora_post_gatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  gatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm, NULL);
}

void mora_post_scatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  scatter(call, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, NULL);
}

void mora_post_scatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm) {
  scatterv(call, sendcounts, sendtype, recvbuf, recvcount, recvtype, root, comm, NULL);
}

void mora_post_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  allgather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, NULL);
}

void mora_post_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                          MPI_Comm comm) {
  allgatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, comm, NULL);
}

void mora_post_alltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  alltoall(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, NULL);
}

void mora_post_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm) {
  alltoallvw(call, sendbuf, sendcounts, sendtype, NULL, recvcounts, recvtype, NULL, comm, NULL);
}

void mora_post_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm) {
  alltoallvw(call, sendbuf, sendcounts, MPI_DATATYPE_NULL, sendtypes, recvcounts, MPI_DATATYPE_NULL, recvtypes, comm,
             NULL);
}

void mora_post_reduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm) {
  reduce(call, sendbuf, count, datatype, root, comm, NULL);
}

void mora_post_allreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm) {
  allreduce(call, sendbuf, count, datatype, comm, NULL);
}

void mora_post_reduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  reduce_scatter(call, sendbuf, recvcounts, datatype, comm, NULL);
}

void mora_post_reduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  reduce_scatter_block(call, sendbuf, recvcount, datatype, comm, NULL);
}

void mora_post_scan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm) {
  scan(call, sendbuf, count, datatype, call->function == MORA_FN_MPI_Exscan, comm, NULL);
}

/* The non-blocking forms: bytes are known at the call, the completion belongs to the request. */

void mora_post_ibarrier(struct mora_call* call, MPI_Comm comm, MPI_Request* request) { barrier(call, comm, request); }

void mora_post_ibcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request* request) {
  bcast(call, count, datatype, root, comm, request);
}

void mora_post_igather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  gather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm, request);
}

void mora_post_igatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Request* request) {
  gatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm, request);
}

void mora_post_iscatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Request* request) {
  scatter(call, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

void mora_post_iscatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Request* request) {
  scatterv(call, sendcounts, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

void mora_post_iallgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                          void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  allgather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void mora_post_iallgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                           void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Request* request) {
  allgatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, comm, request);
}

void mora_post_ialltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  alltoall(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void mora_post_ialltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                          MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  alltoallvw(call, sendbuf, sendcounts, sendtype, NULL, recvcounts, recvtype, NULL, comm, request);
}

void mora_post_ialltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  alltoallvw(call, sendbuf, sendcounts, MPI_DATATYPE_NULL, sendtypes, recvcounts, MPI_DATATYPE_NULL, recvtypes, comm,
             request);
}

void mora_post_ireduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  reduce(call, sendbuf, count, datatype, root, comm, request);
}

void mora_post_iallreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  allreduce(call, sendbuf, count, datatype, comm, request);
}

void mora_post_ireduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  reduce_scatter(call, sendbuf, recvcounts, datatype, comm, request);
}

void mora_post_ireduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  reduce_scatter_block(call, sendbuf, recvcount, datatype, comm, request);
}

void mora_post_iscan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  scan(call, sendbuf, count, datatype, call->function == MORA_FN_MPI_Iexscan, comm, request);
}

/* The persistent forms: what is recorded at the call belongs to every MPI_Start of its request. */

void mora_post_allgather_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                              MPI_Request* request) {
  allgather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void mora_post_allgatherv_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  allgatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, comm, request);
}

void mora_post_allreduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  allreduce(call, sendbuf, count, datatype, comm, request);
}

void mora_post_alltoall_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                             MPI_Request* request) {
  alltoall(call, sendbuf, sendcount, sendtype, recvcount, recvtype, comm, request);
}

void mora_post_alltoallv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  alltoallvw(call, sendbuf, sendcounts, sendtype, NULL, recvcounts, recvtype, NULL, comm, request);
}

void mora_post_alltoallw_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                              MPI_Request* request) {
  alltoallvw(call, sendbuf, sendcounts, MPI_DATATYPE_NULL, sendtypes, recvcounts, MPI_DATATYPE_NULL, recvtypes, comm,
             request);
}

void mora_post_barrier_init(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  barrier(call, comm, request);
}

void mora_post_bcast_init(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root,
                          MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  bcast(call, count, datatype, root, comm, request);
}

void mora_post_scan_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  scan(call, sendbuf, count, datatype, call->function == MORA_FN_MPI_Exscan_init, comm, request);
}

void mora_post_gather_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                           void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                           MPI_Request* request) {
  gather(call, sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm, request);
}

void mora_post_gatherv_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  gatherv(call, sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm, request);
}

void mora_post_reduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  reduce(call, sendbuf, count, datatype, root, comm, request);
}

void mora_post_reduce_scatter_block_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                         MPI_Request* request) {
  reduce_scatter_block(call, sendbuf, recvcount, datatype, comm, request);
}

void mora_post_reduce_scatter_init(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  reduce_scatter(call, sendbuf, recvcounts, datatype, comm, request);
}

void mora_post_scatter_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                            MPI_Request* request) {
  scatter(call, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

void mora_post_scatterv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                             MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  scatterv(call, sendcounts, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}
