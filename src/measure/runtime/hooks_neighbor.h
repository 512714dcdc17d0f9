/* The part of hooks.h that is about neighbourhood collectives. Included by hooks.h. */
#ifndef MORA_MEASURE_RUNTIME_HOOKS_NEIGHBOR_H
#define MORA_MEASURE_RUNTIME_HOOKS_NEIGHBOR_H

#include "measure/runtime/call.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* MPI_Ineighbor_allgather, MPI_Ineighbor_alltoall */
static inline void mora_pre_ineighbor_allgather(struct mora_call* call, const void* sendbuf, int sendcount,
                                                MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {}
void mora_post_ineighbor_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Request* request);
/* MPI_Ineighbor_allgatherv */
static inline void mora_pre_ineighbor_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                                 const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                                 MPI_Request* request) {}
void mora_post_ineighbor_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Request* request);
/* MPI_Ineighbor_alltoallv */
static inline void mora_pre_ineighbor_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                                const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                                const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                                MPI_Comm comm, MPI_Request* request) {}
void mora_post_ineighbor_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                   const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
/* MPI_Ineighbor_alltoallw */
static inline void mora_pre_ineighbor_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                                const int recvcounts[], const MPI_Aint rdispls[],
                                                const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {}
void mora_post_ineighbor_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                   const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                   const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                   MPI_Comm comm, MPI_Request* request);
/* MPI_Neighbor_allgather, MPI_Neighbor_alltoall */
static inline void mora_pre_neighbor_allgather(struct mora_call* call, const void* sendbuf, int sendcount,
                                               MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                               MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_neighbor_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
/* MPI_Neighbor_allgather_init, MPI_Neighbor_alltoall_init */
static inline void mora_pre_neighbor_allgather_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                                    MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                                    MPI_Request* request) {}
void mora_post_neighbor_allgather_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Neighbor_allgatherv */
static inline void mora_pre_neighbor_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount,
                                                MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                                const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_neighbor_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                   MPI_Comm comm);
/* MPI_Neighbor_allgatherv_init */
static inline void mora_pre_neighbor_allgatherv_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                                     MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                                     const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                                     MPI_Info info, MPI_Request* request) {}
void mora_post_neighbor_allgatherv_init(struct mora_call* call, const void* sendbuf, int sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                        const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request* request);
/* MPI_Neighbor_alltoallv */
static inline void mora_pre_neighbor_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                               const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                               const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                               MPI_Comm comm) {}
void mora_post_neighbor_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                  const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
/* MPI_Neighbor_alltoallv_init */
static inline void mora_pre_neighbor_alltoallv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                                    const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                                    const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {}
void mora_post_neighbor_alltoallv_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Info info, MPI_Request* request);
/* MPI_Neighbor_alltoallw */
static inline void mora_pre_neighbor_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                               const int recvcounts[], const MPI_Aint rdispls[],
                                               const MPI_Datatype recvtypes[], MPI_Comm comm) {}
void mora_post_neighbor_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                  const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm comm);
/* MPI_Neighbor_alltoallw_init */
static inline void mora_pre_neighbor_alltoallw_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                                    void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                                    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                                    MPI_Request* request) {}
void mora_post_neighbor_alltoallw_init(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                       const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm, MPI_Info info, MPI_Request* request);

#pragma GCC diagnostic pop

#endif
