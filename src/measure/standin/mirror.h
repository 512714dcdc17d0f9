/* What arrives from other ranks in a dry run: the mirror. The assumption is that of SPMD programs: others do to this
 * rank what it does to them.
 *
 * Messages that this rank sends are remembered per communicator (the last 128; their data up to 64 KiB each). A receive
 * takes the oldest one that was not taken yet: sent to the very rank that it asks for with the tag that it asks for;
 * else one of that tag and exactly as long as the buffer; else one of that tag. Halo exchanges see their own boundary,
 * sizes that are told before data are one's own, replies come from whom something was sent to. A receive with
 * MPI_ANY_SOURCE names whom the oldest such message was sent to, whatever its tag if none has the tag; if nobody is
 * left, the other ranks in turn. MPI_ANY_TAG names the message's tag, without a message 0. If all were taken before,
 * the newest one of the tag serves again. If there is none, the message is as long as the buffer and zero (buffers
 * above 64 KiB stay as they are). What rank 0 sends is known (tidings.h). */
#ifndef MORA_MEASURE_STANDIN_MIRROR_H
#define MORA_MEASURE_STANDIN_MIRROR_H

#include "measure/standin/data.h"

/* Polls in vain before something comes all the same. */
enum { STANDIN_PATIENCE = 1000 };

struct standin_reflection {
  int source, tag;  /* actual */
  size_t bytes;     /* length of the message */
  const void* data; /* NULL: not known: zeroes in a small buffer. Valid until the next message is sent */
};

/* Remembers a message to another rank. */
void standin_mirror_sent(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                         MPI_Datatype type);
/* What a receive of at most `capacity` bytes gets. take = 0: a probe, which has no capacity (pass SIZE_MAX) and leaves
 * the message. */
struct standin_reflection standin_mirror_take(const struct standin_comm* comm, int source, int tag, size_t capacity,
                                              int take);
/* At a call that no rank leaves before all have come: what was sent before is old, a receive of anything from anybody
 * does not answer it. */
void standin_mirror_settle(const struct standin_comm* comm);
/* 1: a message that was sent and not taken yet would be a receive's answer. */
int standin_mirror_owes(const struct standin_comm* comm, int source, int tag);

#endif
