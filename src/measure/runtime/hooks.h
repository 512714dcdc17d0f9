/* What the generated wrappers call around PMPI for functions with hook=NAME: mora_pre_NAME before, mora_post_NAME
 * after; the post hook writes the record and ends the call. Arguments are the C prototype's; status pointers are never
 * MPI_STATUS(ES)_IGNORE. Post hooks run also when MPI failed (call->rc).
 * The list follows src/measure/mpi/generate.py --list-hooks. Hooks are called by the recorded thread, or, where several
 * are recorded, the post hooks under the lock of measure/pattern/threads.h. They do not allocate on paths that repeat.
 */
#ifndef MORA_MEASURE_RUNTIME_HOOKS_H
#define MORA_MEASURE_RUNTIME_HOOKS_H

#include "measure/runtime/call.h"
#include "measure/runtime/hooks_file.h"
#include "measure/runtime/hooks_neighbor.h"
#include "measure/runtime/hooks_persistent.h"
#include "measure/runtime/hooks_window.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* most calls need nothing before */

/* MPI_Abort */
void mora_pre_abort(struct mora_call* call, MPI_Comm comm, int errorcode);
void mora_post_abort(struct mora_call* call, MPI_Comm comm, int errorcode);
/* MPI_Allgather */
static inline void mora_pre_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_allgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
/* MPI_Allgatherv */
static inline void mora_pre_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                                       MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_allgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                          void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                          MPI_Comm comm);
/* MPI_Allreduce */
static inline void mora_pre_allreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {}
void mora_post_allreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm);
/* MPI_Alltoall */
static inline void mora_pre_alltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_alltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
/* MPI_Alltoallv */
static inline void mora_pre_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {}
void mora_post_alltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm);
/* MPI_Alltoallw */
static inline void mora_pre_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                      const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                                      MPI_Comm comm) {}
void mora_post_alltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                         const MPI_Datatype recvtypes[], MPI_Comm comm);
/* MPI_Barrier */
static inline void mora_pre_barrier(struct mora_call* call, MPI_Comm comm) {}
void mora_post_barrier(struct mora_call* call, MPI_Comm comm);
/* MPI_Bcast */
static inline void mora_pre_bcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root,
                                  MPI_Comm comm) {}
void mora_post_bcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
/* MPI_Bsend, MPI_Rsend, MPI_Send, MPI_Ssend */
static inline void mora_pre_send(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm) {}
void mora_post_send(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm);
/* MPI_Bsend_init, MPI_Rsend_init, MPI_Send_init, MPI_Ssend_init */
static inline void mora_pre_send_init(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype,
                                      int dest, int tag, MPI_Comm comm, MPI_Request* request) {}
void mora_post_send_init(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                         MPI_Comm comm, MPI_Request* request);
/* MPI_Cancel */
static inline void mora_pre_cancel(struct mora_call* call, MPI_Request* request) {}
void mora_post_cancel(struct mora_call* call, MPI_Request* request);
/* MPI_Cart_create */
static inline void mora_pre_cart_create(struct mora_call* call, MPI_Comm old_comm, int ndims, const int dims[],
                                        const int periods[], int reorder, MPI_Comm* comm_cart) {}
void mora_post_cart_create(struct mora_call* call, MPI_Comm old_comm, int ndims, const int dims[], const int periods[],
                           int reorder, MPI_Comm* comm_cart);
/* MPI_Cart_sub */
static inline void mora_pre_cart_sub(struct mora_call* call, MPI_Comm comm, const int remain_dims[],
                                     MPI_Comm* new_comm) {}
void mora_post_cart_sub(struct mora_call* call, MPI_Comm comm, const int remain_dims[], MPI_Comm* new_comm);
/* MPI_Comm_accept, MPI_Comm_connect */
static inline void mora_pre_comm_connect(struct mora_call* call, const char* port_name, MPI_Info info, int root,
                                         MPI_Comm comm, MPI_Comm* newcomm) {}
void mora_post_comm_connect(struct mora_call* call, const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                            MPI_Comm* newcomm);
/* MPI_Comm_create */
static inline void mora_pre_comm_create(struct mora_call* call, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {}
void mora_post_comm_create(struct mora_call* call, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm);
/* MPI_Comm_create_from_group (only mpich) */
static inline void mora_pre_comm_create_from_group(struct mora_call* call, MPI_Group group, const char* stringtag,
                                                   MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm) {}
void mora_post_comm_create_from_group(struct mora_call* call, MPI_Group group, const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newcomm);
/* MPI_Comm_create_group */
static inline void mora_pre_comm_create_group(struct mora_call* call, MPI_Comm comm, MPI_Group group, int tag,
                                              MPI_Comm* newcomm) {}
void mora_post_comm_create_group(struct mora_call* call, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm);
/* MPI_Comm_disconnect, MPI_Comm_free */
void mora_pre_comm_free(struct mora_call* call, MPI_Comm* comm);
void mora_post_comm_free(struct mora_call* call, MPI_Comm* comm);
/* MPI_Comm_dup */
static inline void mora_pre_comm_dup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm) {}
void mora_post_comm_dup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm);
/* MPI_Comm_dup_with_info */
static inline void mora_pre_comm_dup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info,
                                               MPI_Comm* newcomm) {}
void mora_post_comm_dup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm);
/* MPI_Comm_idup */
static inline void mora_pre_comm_idup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {}
void mora_post_comm_idup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
/* MPI_Comm_idup_with_info (only mpich) */
static inline void mora_pre_comm_idup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                                                MPI_Request* request) {}
void mora_post_comm_idup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                                   MPI_Request* request);
/* MPI_Comm_join */
static inline void mora_pre_comm_join(struct mora_call* call, int fd, MPI_Comm* intercomm) {}
void mora_post_comm_join(struct mora_call* call, int fd, MPI_Comm* intercomm);
/* MPI_Comm_set_name */
static inline void mora_pre_comm_set_name(struct mora_call* call, MPI_Comm comm, const char* comm_name) {}
void mora_post_comm_set_name(struct mora_call* call, MPI_Comm comm, const char* comm_name);
/* MPI_Comm_spawn */
static inline void mora_pre_comm_spawn(struct mora_call* call, const char* command, char* argv[], int maxprocs,
                                       MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm,
                                       int array_of_errcodes[]) {}
void mora_post_comm_spawn(struct mora_call* call, const char* command, char* argv[], int maxprocs, MPI_Info info,
                          int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]);
/* MPI_Comm_spawn_multiple */
static inline void mora_pre_comm_spawn_multiple(struct mora_call* call, int count, char* array_of_commands[],
                                                char** array_of_argv[], const int array_of_maxprocs[],
                                                const MPI_Info array_of_info[], int root, MPI_Comm comm,
                                                MPI_Comm* intercomm, int array_of_errcodes[]) {}
void mora_post_comm_spawn_multiple(struct mora_call* call, int count, char* array_of_commands[], char** array_of_argv[],
                                   const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                   MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]);
/* MPI_Comm_split */
static inline void mora_pre_comm_split(struct mora_call* call, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {}
void mora_post_comm_split(struct mora_call* call, MPI_Comm comm, int color, int key, MPI_Comm* newcomm);
/* MPI_Comm_split_type */
static inline void mora_pre_comm_split_type(struct mora_call* call, MPI_Comm comm, int split_type, int key,
                                            MPI_Info info, MPI_Comm* newcomm) {}
void mora_post_comm_split_type(struct mora_call* call, MPI_Comm comm, int split_type, int key, MPI_Info info,
                               MPI_Comm* newcomm);
/* MPI_Dist_graph_create */
static inline void mora_pre_dist_graph_create(struct mora_call* call, MPI_Comm comm_old, int n, const int nodes[],
                                              const int degrees[], const int targets[], const int weights[],
                                              MPI_Info info, int reorder, MPI_Comm* newcomm) {}
void mora_post_dist_graph_create(struct mora_call* call, MPI_Comm comm_old, int n, const int nodes[],
                                 const int degrees[], const int targets[], const int weights[], MPI_Info info,
                                 int reorder, MPI_Comm* newcomm);
/* MPI_Dist_graph_create_adjacent */
static inline void mora_pre_dist_graph_create_adjacent(struct mora_call* call, MPI_Comm comm_old, int indegree,
                                                       const int sources[], const int sourceweights[], int outdegree,
                                                       const int destinations[], const int destweights[], MPI_Info info,
                                                       int reorder, MPI_Comm* comm_dist_graph) {}
void mora_post_dist_graph_create_adjacent(struct mora_call* call, MPI_Comm comm_old, int indegree, const int sources[],
                                          const int sourceweights[], int outdegree, const int destinations[],
                                          const int destweights[], MPI_Info info, int reorder,
                                          MPI_Comm* comm_dist_graph);
/* MPI_Exscan, MPI_Scan */
static inline void mora_pre_scan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {}
void mora_post_scan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm);
/* MPI_Finalize */
void mora_pre_finalize(struct mora_call* call);
void mora_post_finalize(struct mora_call* call);
/* MPI_Gather */
static inline void mora_pre_gather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {}
void mora_post_gather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
/* MPI_Gatherv */
static inline void mora_pre_gatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                    int root, MPI_Comm comm) {}
void mora_post_gatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
/* MPI_Graph_create */
static inline void mora_pre_graph_create(struct mora_call* call, MPI_Comm comm_old, int nnodes, const int index[],
                                         const int edges[], int reorder, MPI_Comm* comm_graph) {}
void mora_post_graph_create(struct mora_call* call, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                            int reorder, MPI_Comm* comm_graph);
/* MPI_Iallgather */
static inline void mora_pre_iallgather(struct mora_call* call, const void* sendbuf, int sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Request* request) {}
void mora_post_iallgather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                          void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
/* MPI_Iallgatherv */
static inline void mora_pre_iallgatherv(struct mora_call* call, const void* sendbuf, int sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                        const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                        MPI_Request* request) {}
void mora_post_iallgatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                           void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Request* request);
/* MPI_Iallreduce */
static inline void mora_pre_iallreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {}
void mora_post_iallreduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request* request);
/* MPI_Ialltoall */
static inline void mora_pre_ialltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                      MPI_Request* request) {}
void mora_post_ialltoall(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
/* MPI_Ialltoallv */
static inline void mora_pre_ialltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Request* request) {}
void mora_post_ialltoallv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                          MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
/* MPI_Ialltoallw */
static inline void mora_pre_ialltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                       const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm, MPI_Request* request) {}
void mora_post_ialltoallw(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request);
/* MPI_Ibarrier */
static inline void mora_pre_ibarrier(struct mora_call* call, MPI_Comm comm, MPI_Request* request) {}
void mora_post_ibarrier(struct mora_call* call, MPI_Comm comm, MPI_Request* request);
/* MPI_Ibcast */
static inline void mora_pre_ibcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root,
                                   MPI_Comm comm, MPI_Request* request) {}
void mora_post_ibcast(struct mora_call* call, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Request* request);
/* MPI_Ibsend, MPI_Irsend, MPI_Isend, MPI_Issend */
static inline void mora_pre_isend(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm, MPI_Request* request) {}
void mora_post_isend(struct mora_call* call, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request);
/* MPI_Iexscan, MPI_Iscan */
static inline void mora_pre_iscan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {}
void mora_post_iscan(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Request* request);
/* MPI_Igather */
static inline void mora_pre_igather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                    MPI_Request* request) {}
void mora_post_igather(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request);
/* MPI_Igatherv */
static inline void mora_pre_igatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                     int root, MPI_Comm comm, MPI_Request* request) {}
void mora_post_igatherv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Request* request);
/* MPI_Improbe */
static inline void mora_pre_improbe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag,
                                    MPI_Message* message, MPI_Status* status) {}
void mora_post_improbe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                       MPI_Status* status);
/* MPI_Imrecv */
void mora_pre_imrecv(struct mora_call* call, void* buf, int count, MPI_Datatype type, MPI_Message* message,
                     MPI_Request* request);
void mora_post_imrecv(struct mora_call* call, void* buf, int count, MPI_Datatype type, MPI_Message* message,
                      MPI_Request* request);
/* MPI_Init */
void mora_pre_init(struct mora_call* call, int* argc, char*** argv);
void mora_post_init(struct mora_call* call, int* argc, char*** argv);
/* MPI_Init_thread */
void mora_pre_init_thread(struct mora_call* call, int* argc, char*** argv, int required, int* provided);
void mora_post_init_thread(struct mora_call* call, int* argc, char*** argv, int required, int* provided);
/* MPI_Intercomm_create */
static inline void mora_pre_intercomm_create(struct mora_call* call, MPI_Comm local_comm, int local_leader,
                                             MPI_Comm bridge_comm, int remote_leader, int tag, MPI_Comm* newintercomm) {
}
void mora_post_intercomm_create(struct mora_call* call, MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm,
                                int remote_leader, int tag, MPI_Comm* newintercomm);
/* MPI_Intercomm_create_from_groups (only mpich) */
static inline void mora_pre_intercomm_create_from_groups(struct mora_call* call, MPI_Group local_group,
                                                         int local_leader, MPI_Group remote_group, int remote_leader,
                                                         const char* stringtag, MPI_Info info,
                                                         MPI_Errhandler errhandler, MPI_Comm* newintercomm) {}
void mora_post_intercomm_create_from_groups(struct mora_call* call, MPI_Group local_group, int local_leader,
                                            MPI_Group remote_group, int remote_leader, const char* stringtag,
                                            MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm);
/* MPI_Intercomm_merge */
static inline void mora_pre_intercomm_merge(struct mora_call* call, MPI_Comm intercomm, int high,
                                            MPI_Comm* newintercomm) {}
void mora_post_intercomm_merge(struct mora_call* call, MPI_Comm intercomm, int high, MPI_Comm* newintercomm);
/* MPI_Iprobe */
static inline void mora_pre_iprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag,
                                   MPI_Status* status) {}
void mora_post_iprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
/* MPI_Irecv */
static inline void mora_pre_irecv(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source,
                                  int tag, MPI_Comm comm, MPI_Request* request) {}
void mora_post_irecv(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request* request);
/* MPI_Ireduce */
static inline void mora_pre_ireduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {}
void mora_post_ireduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, int root, MPI_Comm comm, MPI_Request* request);
/* MPI_Ireduce_scatter */
static inline void mora_pre_ireduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                            const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                            MPI_Request* request) {}
void mora_post_ireduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
/* MPI_Ireduce_scatter_block */
static inline void mora_pre_ireduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                                  int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                  MPI_Request* request) {}
void mora_post_ireduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
/* MPI_Iscatter */
static inline void mora_pre_iscatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     MPI_Request* request) {}
void mora_post_iscatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                        void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Request* request);
/* MPI_Iscatterv */
static inline void mora_pre_iscatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                      const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {}
void mora_post_iscatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                         MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                         MPI_Comm comm, MPI_Request* request);
/* MPI_Mprobe */
static inline void mora_pre_mprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Message* message,
                                   MPI_Status* status) {}
void mora_post_mprobe(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Message* message,
                      MPI_Status* status);
/* MPI_Mrecv */
void mora_pre_mrecv(struct mora_call* call, void* buf, int count, MPI_Datatype type, MPI_Message* message,
                    MPI_Status* status);
void mora_post_mrecv(struct mora_call* call, void* buf, int count, MPI_Datatype type, MPI_Message* message,
                     MPI_Status* status);
/* MPI_Pcontrol */
static inline void mora_pre_pcontrol(struct mora_call* call, const int level) {}
void mora_post_pcontrol(struct mora_call* call, const int level);
/* MPI_Probe */
static inline void mora_pre_probe(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Status* status) {}
void mora_post_probe(struct mora_call* call, int source, int tag, MPI_Comm comm, MPI_Status* status);
/* MPI_Recv */
static inline void mora_pre_recv(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source,
                                 int tag, MPI_Comm comm, MPI_Status* status) {}
void mora_post_recv(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                    MPI_Comm comm, MPI_Status* status);
/* MPI_Recv_init */
static inline void mora_pre_recv_init(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source,
                                      int tag, MPI_Comm comm, MPI_Request* request) {}
void mora_post_recv_init(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                         MPI_Comm comm, MPI_Request* request);
/* MPI_Reduce */
static inline void mora_pre_reduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {}
void mora_post_reduce(struct mora_call* call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm);
/* MPI_Reduce_scatter */
static inline void mora_pre_reduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                           const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {}
void mora_post_reduce_scatter(struct mora_call* call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
/* MPI_Reduce_scatter_block */
static inline void mora_pre_reduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf,
                                                 int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {}
void mora_post_reduce_scatter_block(struct mora_call* call, const void* sendbuf, void* recvbuf, int recvcount,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
/* MPI_Request_free */
void mora_pre_request_free(struct mora_call* call, MPI_Request* request);
void mora_post_request_free(struct mora_call* call, MPI_Request* request);
/* MPI_Scatter */
static inline void mora_pre_scatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {}
void mora_post_scatter(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
/* MPI_Scatterv */
static inline void mora_pre_scatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[],
                                     const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                     MPI_Datatype recvtype, int root, MPI_Comm comm) {}
void mora_post_scatterv(struct mora_call* call, const void* sendbuf, const int sendcounts[], const int displs[],
                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm);
/* MPI_Sendrecv */
static inline void mora_pre_sendrecv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) {}
void mora_post_sendrecv(struct mora_call* call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                        int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                        MPI_Comm comm, MPI_Status* status);
/* MPI_Sendrecv_replace */
static inline void mora_pre_sendrecv_replace(struct mora_call* call, void* buf, int count, MPI_Datatype datatype,
                                             int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                                             MPI_Status* status) {}
void mora_post_sendrecv_replace(struct mora_call* call, void* buf, int count, MPI_Datatype datatype, int dest,
                                int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status);
/* MPI_Start */
static inline void mora_pre_start(struct mora_call* call, MPI_Request* request) {}
void mora_post_start(struct mora_call* call, MPI_Request* request);
/* MPI_Startall */
static inline void mora_pre_startall(struct mora_call* call, int count, MPI_Request array_of_requests[]) {}
void mora_post_startall(struct mora_call* call, int count, MPI_Request array_of_requests[]);
/* MPI_Test */
void mora_pre_test(struct mora_call* call, MPI_Request* request, int* flag, MPI_Status* status);
void mora_post_test(struct mora_call* call, MPI_Request* request, int* flag, MPI_Status* status);
/* MPI_Testall */
void mora_pre_testall(struct mora_call* call, int count, MPI_Request array_of_requests[], int* flag,
                      MPI_Status array_of_statuses[]);
void mora_post_testall(struct mora_call* call, int count, MPI_Request array_of_requests[], int* flag,
                       MPI_Status array_of_statuses[]);
/* MPI_Testany */
void mora_pre_testany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index, int* flag,
                      MPI_Status* status);
void mora_post_testany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index, int* flag,
                       MPI_Status* status);
/* MPI_Testsome */
void mora_pre_testsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                       int array_of_indices[], MPI_Status array_of_statuses[]);
void mora_post_testsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                        int array_of_indices[], MPI_Status array_of_statuses[]);
/* MPI_Type_free */
void mora_pre_type_free(struct mora_call* call, MPI_Datatype* type);
void mora_post_type_free(struct mora_call* call, MPI_Datatype* type);
/* MPI_Wait */
void mora_pre_wait(struct mora_call* call, MPI_Request* request, MPI_Status* status);
void mora_post_wait(struct mora_call* call, MPI_Request* request, MPI_Status* status);
/* MPI_Waitall */
void mora_pre_waitall(struct mora_call* call, int count, MPI_Request array_of_requests[],
                      MPI_Status array_of_statuses[]);
void mora_post_waitall(struct mora_call* call, int count, MPI_Request array_of_requests[],
                       MPI_Status array_of_statuses[]);
/* MPI_Waitany */
void mora_pre_waitany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index,
                      MPI_Status* status);
void mora_post_waitany(struct mora_call* call, int count, MPI_Request array_of_requests[], int* index,
                       MPI_Status* status);
/* MPI_Waitsome */
void mora_pre_waitsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                       int array_of_indices[], MPI_Status array_of_statuses[]);
void mora_post_waitsome(struct mora_call* call, int incount, MPI_Request array_of_requests[], int* outcount,
                        int array_of_indices[], MPI_Status array_of_statuses[]);

#pragma GCC diagnostic pop

#endif
