/* The part of hooks.h that is about persistent collectives. Included by hooks.h. */
#ifndef MORA_MEASURE_RUNTIME_HOOKS_PERSISTENT_H
#define MORA_MEASURE_RUNTIME_HOOKS_PERSISTENT_H

#include "measure/runtime/call.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* MPI_Allgather_init */
static inline void mora_pre_allgather_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_allgather_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                              MPI_Request* request);
/* MPI_Allgatherv_init */
static inline void mora_pre_allgatherv_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                            const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                            MPI_Request* request) {}
void mora_post_allgatherv_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Allreduce_init */
static inline void mora_pre_allreduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                           MPI_Request* request) {}
void mora_post_allreduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Alltoall_init */
static inline void mora_pre_alltoall_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                          MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_alltoall_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                             MPI_Request* request);
/* MPI_Alltoallv_init */
static inline void mora_pre_alltoallv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                           const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                           const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_alltoallv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Alltoallw_init */
static inline void mora_pre_alltoallw_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                           const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                           const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_alltoallw_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                              MPI_Request* request);
/* MPI_Barrier_init */
static inline void mora_pre_barrier_init(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_barrier_init(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Bcast_init */
static inline void mora_pre_bcast_init(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root,
                                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_bcast_init(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root,
                          MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Exscan_init, MPI_Scan_init */
static inline void mora_pre_scan_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                      MPI_Request* request) {}
void mora_post_scan_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Gather_init */
static inline void mora_pre_gather_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                        int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_gather_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                           void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                           MPI_Request* request);
/* MPI_Gatherv_init */
static inline void mora_pre_gatherv_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                         const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                                         MPI_Info info, MPI_Request* request) {}
void mora_post_gatherv_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                            MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Reduce_init */
static inline void mora_pre_reduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                        MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                                        MPI_Request* request) {}
void mora_post_reduce_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Reduce_scatter_block_init */
static inline void mora_pre_reduce_scatter_block_init(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                                      int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                      MPI_Info info, MPI_Request* request) {}
void mora_post_reduce_scatter_block_init(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                         MPI_Request* request);
/* MPI_Reduce_scatter_init */
static inline void mora_pre_reduce_scatter_init(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                                const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                MPI_Info info, MPI_Request* request) {}
void mora_post_reduce_scatter_init(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request);
/* MPI_Scatter_init */
static inline void mora_pre_scatter_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                         int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_scatter_init(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                            MPI_Request* request);
/* MPI_Scatterv_init */
static inline void mora_pre_scatterv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                          const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                          MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                          MPI_Request* request) {}
void mora_post_scatterv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                             MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, MPI_Info info, MPI_Request* request);

#pragma GCC diagnostic pop

#endif
