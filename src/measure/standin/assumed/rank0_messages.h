/* What rank 0 of the job sends is known: in many programs it reads the input and sends it to the others.
 *
 * Rank 0 publishes its messages to each rank of each communicator in their order (registry.h): tag, length, and the
 * data of those of at most 256 bytes; the first 4096 to a rank, 65536 in all. A receive that names rank 0 as its source
 * waits until rank 0, or an auxiliary process of it (root_data.h), has sent what matches. So tasks, sizes and
 * repetition counts that rank 0 sends are exact. What rank 0 itself receives is assumed (assumed_messages.h): it waits
 * for no other rank, so that no circle of waiting processes can arise. Rule `dry-run-known-data` (docs/rules.md). */
#ifndef MORA_MEASURE_STANDIN_ASSUMED_RANK0_MESSAGES_H
#define MORA_MEASURE_STANDIN_ASSUMED_RANK0_MESSAGES_H

#include "measure/standin/core/data.h"

struct standin_rank0_message {
  int tag;
  size_t bytes;
  const void* data; /* NULL: too long to be kept */
};

/* Called for each message to another rank; rank 0 publishes it, in other ranks nothing happens. */
void standin_publish_rank0_message(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                                   MPI_Datatype type);
/* 1: *message is the next message from rank 0 that a receive of `source` and `tag` takes, or a probe sees (take = 0);
 * waits for it. 0: `source` is not rank 0, or its messages are not known any more (noted). */
int standin_next_rank0_message(const struct standin_comm* comm, int source, int tag, int take,
                               struct standin_rank0_message* message);

#endif
