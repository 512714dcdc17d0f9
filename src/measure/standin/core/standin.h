/* The dry run's MPI: a library that is preloaded behind the recorder and in front of the program's real MPI, so that
 * one process is any rank of a job of any size (docs/user/dryrun.md).
 *
 *     program ─► recorder (MPI_*) ─► stand-in (MPI_* and PMPI_*) ─► real library, as a singleton
 *                                                       (what is local: types, operations, info, errors)
 *
 * How to write an MPI function: define `int standin_X(parameters of MPI_X)` (declared in the generated
 * standin_functions.h); a communicator or window comes as what its handle means. The generated entries MPI_X and PMPI_X
 * forward to the real library outside a dry run, and what the stand-in does not know; else they take the lock
 * (recursive), note the function for the server's time limit and call standin_X. A function without a definition does
 * what its blocking form does and makes a completed request, or it refuses (standin_unsupported). Functions that no
 * communicator, group, request, message, window or file goes through have no entry: they reach the real library
 * (src/measure/mpi/emit_standin.py decides). In this folder PMPI_X is the real one.
 *
 * Every handle is one of the real library, so that Fortran numbers, names, attributes and error handlers work: a
 * communicator is a duplicate of MPI_COMM_SELF (or MPI_COMM_WORLD itself, of size 1 there), a group a group of one
 * process, a request a generalized request. What they mean stands in our tables. A handle that is not in them belongs
 * to the real library (ROMIO makes its own): forward. No call ever blocks; what would block for ever (a receive from
 * oneself that was not sent) ends the process with a message (standin_stop).
 *
 * Threads: every entry holds the stand-in's one lock, so that the functions here and in this folder's other headers run
 * one at a time; none of them may be called from a signal handler. */
#ifndef MORA_MEASURE_STANDIN_CORE_STANDIN_H
#define MORA_MEASURE_STANDIN_CORE_STANDIN_H

#include <stddef.h>
#include <stdint.h>

#include "measure/mpi/mpi_binding.h"
#include "standin_functions.h" /* generated */

enum standin_topology { STANDIN_NONE, STANDIN_CART, STANDIN_GRAPH, STANDIN_DIST_GRAPH };

struct standin_meeting;

struct standin_comm {
  MPI_Comm handle;
  uint32_t id;    /* 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF, then in order of creation */
  int rank, size; /* of this process; of the (local) group */
  int* members; /* world ranks by local rank; NULL = identity (world), or this process alone (self): standin_member() */
  int remote_size;                 /* > 0: inter-communicator */
  int* remote;                     /* world ranks of the other group */
  uint32_t collectives;            /* calls on it so far that make something */
  uint32_t rooted;                 /* calls on it so far in which a root gives something (root_data.h) */
  uint64_t identity;               /* equal in all ranks that belong to it */
  struct standin_meeting* meeting; /* the last that this process came to (../communicators/meeting.h) */
  enum standin_topology topology;
  int ndims, *dims, *periods;                                                                        /* cart */
  int nnodes, *index, *edges;                                                                        /* graph */
  int indegree, *sources, *source_weights, outdegree, *destinations, *destination_weights, weighted; /* dist graph */
};

extern int standin_world_rank, standin_world_size;
extern int standin_active; /* 1: this process is a rank of a dry run; 0: everything is forwarded */

/* NULL: not ours: forward. Addresses are stable until the communicator is freed. */
struct standin_comm* standin_comm_of(MPI_Comm comm);
/* World rank of a local rank; of a peer: of the remote group, if there is one. -1 outside. */
int standin_member(const struct standin_comm* comm, int local_rank);
int standin_peer(const struct standin_comm* comm, int rank);
/* How many a rank argument may name: the remote group's size, if there is one. */
int standin_peers(const struct standin_comm* comm);
/* The neighbours of this process in its topology (ranks of comm, MPI_PROC_NULL at open ends), as neighbourhood
 * collectives take them: sources (what arrives) and destinations. 0: comm has no topology. Valid until the next call.
 */
int standin_neighbors(const struct standin_comm* comm, int* n_sources, const int** sources, int* n_destinations,
                      const int** destinations);

/* Groups: world ranks in order. NULL: MPI_GROUP_EMPTY or not ours (n = 0). */
const int* standin_group_members(MPI_Group group, int* n);
MPI_Group standin_group_new(const int* world_ranks, int n); /* copies */

enum standin_request_kind { STANDIN_SEND, STANDIN_RECV, STANDIN_COLLECTIVE, STANDIN_RMA, STANDIN_FILE, STANDIN_COMM };

struct standin_request {
  enum standin_request_kind kind;
  int persistent, active, done, cancelled;
  MPI_Status status; /* when done: MPI_SOURCE, MPI_TAG, MPI_ERROR; count with PMPI_Status_set_elements */
  /* a receive from oneself that waits for its message; what a persistent one starts */
  const void* buffer;
  int count, peer, tag;
  MPI_Datatype type;
  struct standin_comm* comm;
  void* more; /* the owner's; freed with the request if `release` is set */
  void (*release)(struct standin_request* request);
  int (*start)(struct standin_request* request);
  struct standin_request* next; /* posted receives from oneself, in order */
  MPI_Request handle;
  struct standin_pending* pending; /* what it waits for, if it is neither a receive nor done (exchange.h) */
  uint64_t started;                /* in the order of starts (messages.h): MPI_Waitany takes the oldest */
};
/* NULL: the real library's (or MPI_REQUEST_NULL). */
struct standin_request* standin_request_of(MPI_Request request);
/* Active and not done. The handle is a real generalized request that is never completed: only our Wait and Test know
 * it. */
MPI_Request standin_request_new(enum standin_request_kind kind, struct standin_request** request);
/* Sets *request to MPI_REQUEST_NULL; the handle serves again. */
void standin_request_free(MPI_Request* request);

/* The MPI function that the program has called: all messages begin with it. */
const char* standin_function(void);
/* Raises `code` as the real library would: the communicator's error handler is called; MPI_ERRORS_ARE_FATAL ends the
 * process (standin_stop). NULL: MPI_COMM_WORLD's. Returns code. */
int standin_error(const struct standin_comm* comm, int code);
int standin_unsupported(const struct standin_comm* comm);

/* Counts `what`, which is printed once at the end of the run: it must be a literal ("MPI_File_read: data are zero"). */
void standin_note(const char* what);
/* Says why on standard error and in the run directory, closes the journal as at exit, ends the process (exit code 86).
 */
void standin_stop(const char* format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* malloc that stops the process without memory; bytes 0 gives one byte. */
void* standin_alloc(size_t bytes);
void* standin_copy(const void* from, size_t bytes);

#endif
