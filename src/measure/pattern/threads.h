/* Pattern mode of programs whose threads may all call MPI (MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE): every thread is
 * recorded, into one journal. A lock stands around what the hooks do, never around MPI itself. A record of another
 * thread than 0 has a DATA record before it that says which. Elsewhere nothing of this runs. */
#ifndef MORA_MEASURE_PATTERN_THREADS_H
#define MORA_MEASURE_PATTERN_THREADS_H

#include "measure/runtime/call.h"

/* After MPI_Init: decides by the level of threads that MPI provides. */
void mora_threads_start(void);

/* A thread that makes its first call to be recorded gets its number. */
void mora_thread_admit(void);

/* Numbers given so far, 0 included. */
uint32_t mora_threads_count(void);

/* Number of this thread in DATA records: 0 made MPI_Init. */
extern __thread uint32_t mora_thread_number;

/* Around pre hooks that look into tables or write records, marks, and the end of the recorder; not within post hooks.
 */
void mora_threads_lock_now(void);
void mora_threads_unlock_now(void);

static inline void mora_threads_lock(void) {
  if (__builtin_expect(mora_threaded, 0)) mora_threads_lock_now();
}
static inline void mora_threads_unlock(void) {
  if (__builtin_expect(mora_threaded, 0)) mora_threads_unlock_now();
}

#endif
