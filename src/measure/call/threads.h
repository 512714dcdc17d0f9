/* Pattern mode of programs whose threads may all call MPI (MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE): every thread is
 * recorded, into one journal, in the order in which their calls return (rule `threads-in-patterns`, docs/rules.md). A
 * spin lock is held while hooks run, never during an MPI call. A record of another thread than 0 has a DATA record
 * before it that says which. In all other runs none of this is called. Not async-signal-safe: a signal handler that
 * calls MPI while its thread holds the lock would wait for ever. */
#ifndef MORA_MEASURE_CALL_THREADS_H
#define MORA_MEASURE_CALL_THREADS_H

#include "measure/call/call.h"

/* Call after MPI_Init: decides by the thread level that MPI provides whether several threads are recorded. */
void mora_threads_start(void);

/* Gives the calling thread its number, at its first call that is recorded. */
void mora_thread_admit(void);

/* Numbers given so far, 0 included. */
uint32_t mora_threads_count(void);

/* Number of this thread in DATA records; 0: the thread that called MPI_Init. */
extern __thread uint32_t mora_thread_number;

/* Around pre hooks that look into tables or write records, marks, and the end of the recorder; not within post hooks
 * (mora_threads_unlock_now: call.h). */
void mora_threads_lock_now(void);

static inline void mora_threads_lock(void) { /* nothing but a test where one thread makes all calls */
  if (__builtin_expect(mora_threaded, 0)) mora_threads_lock_now();
}
static inline void mora_threads_unlock(void) { /* likewise */
  if (__builtin_expect(mora_threaded, 0)) mora_threads_unlock_now();
}

#endif
