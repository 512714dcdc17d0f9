/* A collective call of a dry run of all ranks together: what this rank gives, in parts, and what it takes from whom
 * (../communicators/meeting.h). First all that is given and taken is named, then the call is made, which gives, and
 * takes at once or, in a non-blocking call, when its request is completed. */
#ifndef MORA_MEASURE_STANDIN_COLLECTIVES_EXCHANGE_CALL_H
#define MORA_MEASURE_STANDIN_COLLECTIVES_EXCHANGE_CALL_H

#include "measure/standin/core/data.h"

struct standin_exchange;

/* An empty call on `comm`; standin_exchange_run() ends and frees it. */
struct standin_exchange* standin_exchange_new(struct standin_comm* comm);
/* The next part. `key`: of a part for a neighbour its rank, which says whose it is; else -1. */
void standin_gives(struct standin_exchange* call, const void* buffer, int count, MPI_Datatype type, int key);
/* Takes a part (of a gift of one part that one) of a member (meeting.h: by number). */
void standin_takes(struct standin_exchange* call, int number, int part, void* buffer, int count, MPI_Datatype type);
/* Takes the part with this rank as its key, the `which`-th of those. */
void standin_takes_own(struct standin_exchange* call, int number, int which, void* buffer, int count,
                       MPI_Datatype type);
/* Others wait for this member alone (a root, a neighbour). */
void standin_gives_alone(struct standin_exchange* call);
/* Waits for all members also if it takes nothing. */
void standin_takes_of_all(struct standin_exchange* call);
/* What is reduced: the first part, of `count` elements, of each of `n` members from number `first` on. */
struct standin_reduction {
  int first, n, count;
  int for_all; /* of all members in every member: who comes last does it for all */
  MPI_Datatype type;
  MPI_Op op;
  void* buffer; /* gets `taken` elements of the result, from `begin` on; NULL: none */
  long long begin;
  int taken;
};
void standin_reduces(struct standin_exchange* call, const struct standin_reduction* reduction);
/* Makes the call; `call` is gone. Returns MPI_SUCCESS. */
int standin_exchange_run(struct standin_exchange* call);

#endif
