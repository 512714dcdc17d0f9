/* Bytes of collective calls per process, as Score-P and Scalasca count them: a process sends what it contributes to
 * each receiver and receives what it gets from each sender, itself included; with MPI_IN_PLACE its own share does not
 * move. Rooted calls: the root's side is multiplied by the number of processes. Inter-communicators: the other group's
 * size. */
#ifndef MORA_MEASURE_HOOKS_COLLECTIVE_RECORD_H
#define MORA_MEASURE_HOOKS_COLLECTIVE_RECORD_H

#include "measure/handles/communicators.h"

struct mora_collective {
  struct mora_call* call;
  uint32_t id;
  int rank;
  uint64_t peers; /* processes this one exchanges with: its group, or the other group */
  int inter;
  int32_t root; /* for the record */
  int at_root;  /* this process is the root */
  int idle;     /* MPI_PROC_NULL in an inter-communicator: takes no part */
  int in_place;
  uint64_t sent, received;
  int vectors; /* VECTOR records follow */
};

/* Looks the communicator up; root -1 for calls without one. `in_place` sets the record's flag. */
struct mora_collective mora_collective_begin(struct mora_call* call, MPI_Comm comm, int rooted, int root, int in_place);

/* Bytes of a vector argument: counts[i] elements of `type` (or types[i]) for each peer. */
struct mora_vector {
  const int* counts; /* NULL: there is none on this process */
  MPI_Datatype type;
  const MPI_Datatype* types; /* NULL: all are `type` */
  uint64_t n;
  int without; /* a rank whose share does not move, or -1 */
};
uint64_t mora_vector_bytes(const struct mora_vector* vector);

/* One side of a neighbourhood collective: the neighbours and the bytes to or from each, in the order of the topology.
 */
struct mora_edges {
  const int* ranks; /* MPI_PROC_NULL: no neighbour there */
  int n;
  const int* counts; /* NULL: `count` for each */
  int count;
  MPI_Datatype type;
  const MPI_Datatype* types; /* NULL: all are `type` */
};

/* Writes the COLLECTIVE record, the vectors that have counts, and ends the call. `request`: NULL for blocking calls.
 * A persistent operation (MPI_Bcast_init …) is remembered until it is started; while recording is off nothing is
 * written. */
void mora_collective_end(struct mora_collective* collective, const MPI_Request* request, const struct mora_vector* sent,
                         const struct mora_vector* received);

/* The same for a neighbourhood collective; sets the bytes. */
void mora_neighborhood_end(struct mora_collective* collective, const MPI_Request* request,
                           const struct mora_edges* destinations, const struct mora_edges* sources);

#endif
