/* What arrives from other ranks in a dry run: messages that are assumed. The assumption is that of SPMD programs:
 * others do to this rank what it does to them. Rules `dry-run-mirror` and `dry-run-time` (docs/rules.md).
 *
 * Messages that this rank sends are remembered per communicator (the last 128; their data up to 64 KiB each). A receive
 * takes the oldest one that was not taken yet: sent to the very rank that it asks for with the tag that it asks for;
 * else one of that tag and exactly as long as the buffer; else one of that tag. Halo exchanges see their own boundary,
 * sizes that are sent before data are one's own, replies come from whom something was sent to. A receive with
 * MPI_ANY_SOURCE names whom the oldest such message was sent to, whatever its tag if none has the tag; if nobody is
 * left, the other ranks in turn. MPI_ANY_TAG names the message's tag, without a message 0. If all were taken before,
 * the newest one of the tag serves again. If there is none, the message is as long as the buffer and zero (buffers
 * above 64 KiB stay as they are). What rank 0 sends is known (rank0_messages.h). */
#ifndef MORA_MEASURE_STANDIN_ASSUMED_ASSUMED_MESSAGES_H
#define MORA_MEASURE_STANDIN_ASSUMED_ASSUMED_MESSAGES_H

#include "measure/standin/core/data.h"

/* So many polls in a row find nothing; then one finds a message. */
enum { STANDIN_EMPTY_POLLS = 1000 };

struct standin_assumed_message {
  int source, tag;  /* actual */
  size_t bytes;     /* length of the message */
  const void* data; /* NULL: not known; small buffers are zeroed. Valid until the next message is sent */
};

/* Remembers a message to another rank: a copy, if it has at most STANDIN_SMALL bytes. */
void standin_remember_sent(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                           MPI_Datatype type);
/* What a receive of at most `capacity` bytes from another rank gets. take = 0: a probe, which has no capacity (pass
 * SIZE_MAX) and leaves the message. Cost: at most the 128 messages that are remembered. What is assumed is noted. */
struct standin_assumed_message standin_assume_message(const struct standin_comm* comm, int source, int tag,
                                                      size_t capacity, int take);
/* Called at a collective call that no rank leaves before all have entered it (MPI_Barrier, MPI_Allreduce): a later
 * receive from MPI_ANY_SOURCE with MPI_ANY_TAG does not answer messages that were sent before. */
void standin_forget_senders_before(const struct standin_comm* comm);
/* 1: this rank sent a message of that tag to `source` (or to anybody) to which no receive was the answer so far. */
int standin_is_unanswered(const struct standin_comm* comm, int source, int tag);

#endif
