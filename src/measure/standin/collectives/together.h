/* Collective calls of a dry run of all ranks together, with arguments as MPI gives them and already checked. Counts,
 * places and types per rank are NULL where all have the one that stands beside them. */
#ifndef MORA_MEASURE_STANDIN_COLLECTIVES_TOGETHER_H
#define MORA_MEASURE_STANDIN_COLLECTIVES_TOGETHER_H

#include "measure/standin/core/standin.h"

/* Blocks of a buffer, one for each rank of a group. */
struct standin_blocks {
  const void* buffer;
  const int* counts;           /* NULL: count each */
  const int* places;           /* in elements, or in bytes if `types` is set; NULL: one after the other */
  const MPI_Aint* byte_places; /* instead, in bytes */
  int count;
  MPI_Datatype type;
  const MPI_Datatype* types; /* NULL: type each */
};

/* One of them. */
struct standin_block {
  void* buffer;
  int count;
  MPI_Datatype type;
};
struct standin_block standin_nth_block(const struct standin_blocks* all, int i);

/* Each with real data of all members, with MPI's arguments; blocks like the MPI function. Returns MPI_SUCCESS. */
int standin_together_barrier(struct standin_comm* comm);
int standin_together_bcast(void* buffer, int count, MPI_Datatype type, int root, struct standin_comm* comm);
int standin_together_scatter(const struct standin_blocks* send, void* receive, int count, MPI_Datatype type, int root,
                             struct standin_comm* comm);
/* root -1: to all. send MPI_IN_PLACE: the own block stands where it belongs. */
int standin_together_gather(const void* send, int send_count, MPI_Datatype send_type,
                            const struct standin_blocks* receive, int root, struct standin_comm* comm);
/* send->buffer MPI_IN_PLACE: what is sent stands in the blocks of `receive`. */
int standin_together_alltoall(const struct standin_blocks* send, const struct standin_blocks* receive,
                              struct standin_comm* comm);

enum standin_reduce_kind {
  STANDIN_REDUCE,
  STANDIN_ALLREDUCE,
  STANDIN_SCAN,
  STANDIN_EXSCAN,
  STANDIN_REDUCE_SCATTER /* `count` of all blocks; elements from `begin` on, `taken` of them, are this rank's */
};
/* All kinds of reduction, operands in the order of ranks. Returns MPI_SUCCESS. */
int standin_together_reduce(enum standin_reduce_kind kind, const void* send, void* receive, int count,
                            MPI_Datatype type, MPI_Op op, int root, long long begin, int taken,
                            struct standin_comm* comm);

/* Neighbours: `send` has a block for each destination, or, for a gather, one for all. */
int standin_together_neighbors(const struct standin_blocks* send, int gathers, const struct standin_blocks* receive,
                               int n_sources, const int* sources, int n_destinations, const int* destinations,
                               struct standin_comm* comm);

#endif
