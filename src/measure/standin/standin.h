/* The dry run's MPI: a library that is preloaded behind the recorder and in front of the program's real MPI, so that one process is any rank of
 * a job of any size (docs/user/dryrun.md).
 *
 *     program ─► recorder (MPI_*) ─► stand-in (MPI_* and PMPI_*) ─► real library, as a singleton (what is local: types, operations, info, errors)
 *
 * Both MPI_X and PMPI_X are exported for every function that a communicator, group, request, message, window or file goes through; all
 * others reach the real library untouched. A handle that is not in our tables belongs to the real library: forward. The real functions stand behind
 * mora_real (mpi_binding.h), found with RTLD_NEXT. In this folder PMPI_X means the real one; the stand-in's own entry is STANDIN(X).
 *
 * Communicators are handles of the real library (MPI_COMM_WORLD itself, else duplicates of MPI_COMM_SELF), so that names, attributes and error
 * handlers work; who is in them stands in our table. Requests are entries of ours; groups too. One thread at a time: a lock is taken in each entry.
 * No call ever blocks; what would block for ever (a receive from oneself that nobody sent) ends the process with a message (standin_stop). */
#ifndef MORA_MEASURE_STANDIN_STANDIN_H
#define MORA_MEASURE_STANDIN_STANDIN_H

#include <stdint.h>

#include "measure/mpi/mpi_binding.h"

/* Defines MPI_X and its twin PMPI_X: int STANDIN(Send)(const void* buf, …) { … } — see standin_entry.h for the macro. */

enum standin_topology { STANDIN_NONE, STANDIN_CART, STANDIN_GRAPH, STANDIN_DIST_GRAPH };

struct standin_comm {
  MPI_Comm handle;
  uint32_t id;                 /* 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF, then in order of creation */
  int rank, size;              /* of this process; of the (local) group */
  int* members;                /* world ranks by local rank; NULL = identity (world), or this process alone (self): standin_world_rank() */
  int remote_size;             /* > 0: inter-communicator */
  int* remote;
  uint32_t collectives;        /* calls that make something, so far: with `identity` the key of the registry of scouts */
  uint64_t identity;           /* equal in all ranks that belong to it */
  enum standin_topology topology;
  int ndims, *dims, *periods;  /* cart */
  int nnodes, *index, *edges;  /* graph */
  int indegree, *sources, *source_weights, outdegree, *destinations, *destination_weights, weighted; /* dist graph */
};

extern int standin_world_rank, standin_world_size;
extern int standin_active; /* 0: not a dry run, forward everything */

/* NULL: a handle of the real library (or an error): forward. */
struct standin_comm* standin_comm_of(MPI_Comm comm);
int standin_member(const struct standin_comm* comm, int local_rank); /* world rank */

/* A message from this process to itself. Bytes are packed with the real library's MPI_Pack, so that types may differ. */
struct standin_message {
  uint32_t comm;
  int tag;
  void* bytes;
  int size;
  struct standin_message* next;
};

enum standin_request_kind { STANDIN_SEND, STANDIN_RECV, STANDIN_COLLECTIVE, STANDIN_RMA, STANDIN_FILE, STANDIN_COMM };

/* Requests of ours are addresses (Open MPI) or numbers in a range of our own (MPICH): standin_request_of tells them from the real library's. */
struct standin_request {
  enum standin_request_kind kind;
  int persistent, active, done, cancelled;
  MPI_Status status;           /* when done */
  /* a receive from oneself that waits for its message; what a persistent one starts */
  const void* buffer;
  int count, peer, tag;
  MPI_Datatype type;
  struct standin_comm* comm;
  int (*start)(struct standin_request* request);
  struct standin_request* next; /* posted receives from oneself, in order */
};
struct standin_request* standin_request_of(MPI_Request request);
MPI_Request standin_request_new(enum standin_request_kind kind, struct standin_request** request);
void standin_request_free(MPI_Request* request);

void standin_lock(void);
void standin_unlock(void);

/* Counted and told once at the end of the rank: `what` is a literal ("MPI_File_read: data are zero"). */
void standin_note(const char* what);
/* Says why on standard error and in the run directory, closes the journal as at exit, ends the process (exit code 86). */
void standin_stop(const char* function, const char* format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
