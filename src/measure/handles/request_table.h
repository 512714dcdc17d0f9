/* Requests and matched-probe messages that are outstanding.
 *
 * MPI may give the same handle value to several requests at once (all sends that are complete at once share one), so a
 * handle leads to a queue, of which the oldest entry is taken first. Most requests are alone at the place that a hash
 * gives their handle and stand there; others stand in a pool that grows by mmap and is
 * reused. All operations take constant time, but that a handle which is not the thread's own is looked for in the
 * tables of all threads.
 *
 * Thread-safe. Where several threads are recorded, the table of an entry that was added or found is locked until the
 * thread calls mora_requests_release, before which it asks for no other one; that lock is another thread's business
 * only when requests are handed over. */
#ifndef MORA_MEASURE_HANDLES_REQUEST_TABLE_H
#define MORA_MEASURE_HANDLES_REQUEST_TABLE_H

#include "measure/call/call.h"
#include "measure/call/threads.h"
#include "measure/handles/handle_map.h"

enum mora_request_kind { MORA_REQUEST_SEND, MORA_REQUEST_RECV, MORA_REQUEST_OTHER, MORA_REQUEST_IO };

struct mora_request {
  uint64_t key;    /* of an entry at a place of its own: its handle; 0: the place is free */
  uint64_t number; /* 0: begun while recording was off */
  uint64_t begun;  /* ticks; not in pattern mode, where numbers ascend in time */
  uint64_t bytes;  /* of a send; of a persistent collective: the number its MPI_…_init gave, 0 unknown */
  int32_t peer, tag;
  uint32_t comm;
  uint8_t kind; /* enum mora_request_kind */
  uint8_t persistent, active, cancelled;
  uint32_t type;       /* pattern mode, persistent sends and receives: number of the datatype */
  int64_t count;       /* … and how many of it */
  uint32_t next, tail; /* queue of equal handles; tail is right in the first one */
};

/* Unlocks the table of the entry that was added or found last, if there is one. */
void mora_requests_release_now(void);
static inline void mora_requests_release(void) { /* nothing but a test where one thread makes all calls */
  if (__builtin_expect(mora_threaded, 0)) mora_requests_release_now();
}

/* An entry for `key`, which the caller fills between `key` and `next`; NULL if there is no memory. */
struct mora_request* mora_request_add(uint64_t key);

/* The entry of the request that a call has made: without peer and bytes; active and counted as live, unless it is
 * persistent: then it gets its number at each start. NULL if there is nothing to remember, or no memory. */
struct mora_request* mora_request_made(const struct mora_call* call, MPI_Request request, enum mora_request_kind kind,
                                       int persistent, uint64_t number, uint32_t comm);

/* The oldest entry of this handle, the thread's own before those of others; or NULL. */
struct mora_request* mora_request_find(uint64_t key);

enum { MORA_REQUEST_PLACES_LOG = 8 };
/* The number of the place at which the first request of a handle stands. */
static inline unsigned mora_request_place(uint64_t key) {
  return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MORA_REQUEST_PLACES_LOG));
}
/* The same where one thread makes all calls and the entry stands at its place, as a rule; else NULL. */
static inline struct mora_request* mora_request_at_place(uint64_t key) {
  struct mora_request* places = (struct mora_request*)mora_self.thread->requests; /* a table begins with them */
  if (__builtin_expect(mora_threaded || !places, 0)) return NULL;
  places += mora_request_place(key);
  return __builtin_expect(places->key == key, 1) ? places : NULL;
}

/* Forgets the oldest entry of this handle, which was found last. */
void mora_request_remove(uint64_t key);

/* A persistent request, found last, has begun under this number; or is complete. */
void mora_request_started(struct mora_request* entry, uint64_t number);
void mora_request_rests(struct mora_request* entry);

/* Whether any non-persistent or active persistent request is left. */
int mora_requests_are_live(void);

/* The next number for a request or matched message: 1, 2, … of thread 0, and of others behind
 * number << MORA_THREAD_BITS. */
static inline uint64_t mora_request_next(void) { return ++mora_self.thread->numbers->requests; }

#endif
