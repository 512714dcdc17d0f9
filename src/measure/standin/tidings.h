/* What rank 0 of the job sends is known: programs let it read the input and tell the others.
 *
 * Rank 0 publishes its messages to each rank of each communicator in their order (registry.h): tag, length, and the
 * data of those of at most 256 bytes; the first 4096 to a rank, 65536 in all. A receive that names rank 0 as its source
 * waits until rank 0, or its herald (herald.h), has sent what matches. So tasks, sizes and repetition counts that rank
 * 0 sends are exact. What it receives is not: it waits for nobody, and nobody waits in a circle. */
#ifndef MORA_MEASURE_STANDIN_TIDINGS_H
#define MORA_MEASURE_STANDIN_TIDINGS_H

#include "measure/standin/data.h"

struct standin_tiding {
  int tag;
  size_t bytes;
  const void* data; /* NULL: too long to be kept */
};

/* In rank 0, of each message to another rank. */
void standin_tell(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count, MPI_Datatype type);
/* 1: the next message from rank 0 that a receive of `source` and `tag` takes, or a probe sees (take = 0). */
int standin_told(const struct standin_comm* comm, int source, int tag, int take, struct standin_tiding* tiding);

#endif
