/* What lets all ranks of a job live on one machine and exchange real data (`mora pattern dryrun --together`).
 *
 * Every process has a mailbox in shared memory: a list of messages, to which others add without a lock, and a counter
 * of events, on which it sleeps. A process that finds nothing to do sleeps until an event; who does something that
 * others may wait for wakes them. So nobody polls, and that all processes sleep, none of which has an event that it has
 * not seen, is a deadlock of the program: the server (process/deadlock.c) asks each what it waits for.
 *
 * Messages are stored whole when they are sent: standard sends never wait for a receive. Memory: heap.h.
 * The functions are called with the stand-in's lock held; it is open while they sleep. */
#ifndef MORA_MEASURE_STANDIN_CORE_EXCHANGE_H
#define MORA_MEASURE_STANDIN_CORE_EXCHANGE_H

#include <stdint.h>

#include "measure/standin/core/standin.h"

/* A message. On its way it is linked by offset, newest first; later it belongs to the receiver. Messages of a process
 * to itself in a dry run of single ranks are the same, in memory of its own. */
struct standin_message {
  uint64_t context; /* identity of the communicator */
  int source, tag;  /* source: rank in the sender's group */
  size_t size;
  struct standin_message* next;
  uint64_t newer;      /* while it is on its way */
  int32_t synchronous; /* world rank of the sender that waits for the receive; -1 none */
  uint32_t received;   /* of a synchronous one */
  uint32_t owners;     /* of a synchronous one: sender and receiver; who is the last frees it */
  char bytes[];
};

/* Call before the first fork. 0: no memory. */
int standin_exchange_start(void);

/* With room for so many bytes of data, not synchronous. */
struct standin_message* standin_message_new(size_t size);
/* Gives it to a process and wakes that one. */
void standin_message_post(struct standin_message* message, int world_rank);
/* What came for this process since the last call, oldest first. NULL: nothing. */
struct standin_message* standin_messages_that_came(void);
/* It was received: tells a sender that waits for it; the message may be gone. */
void standin_message_received(struct standin_message* message);
void standin_message_free(struct standin_message* message);

/* What a process waits for, should that never come. */
struct standin_awaited {
  int world_rank;   /* that has to do something; -1: not one rank alone */
  int tag;          /* of a message; -1 */
  const char* what; /* "a message from rank" */
};

/* The number of events of this process so far: read it before looking whether something has come. */
uint32_t standin_events(void);
uint32_t standin_events_of(int world_rank);
/* Sleeps until there are other events than `seen`. */
void standin_sleep(uint32_t seen, struct standin_awaited awaited);
/* A test or probe found nothing: leaves the processor to others, longer and longer (at most 1 ms). */
void standin_found_nothing(void);
void standin_wake(int world_rank);
/* Its process (windows reach its memory); known from its MPI_Init on. */
int standin_process_of(int world_rank);
/* In a new process. */
void standin_exchange_enter(void);
void standin_wake_all(void);
/* Sleeps for a moment, as memory for data under way is short. */
void standin_await_memory(void);

/* Something that was started and is to be waited for: the first member of a larger struct made by malloc. */
struct standin_pending {
  int (*has_come)(struct standin_pending* self); /* 1: it is complete, and was finished here */
  struct standin_awaited (*awaited)(const struct standin_pending* self);
};
/* Waits for it and frees it; in a call that only starts something (MPI_Ibcast) it becomes that call's request. */
int standin_settle(struct standin_pending* pending);
/* Around such a call by the generated entries (emit_standin.py). */
void standin_start_only(void);
/* 1: inside such a call. */
int standin_starts_only(void);
struct standin_pending* standin_what_was_started(void); /* NULL: it is complete */

#endif
