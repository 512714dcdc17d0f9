/* Programs whose threads may all call MPI (MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE): every thread is recorded, from
 * its first recorded call on.
 *
 *   timed journal   each thread has a journal of its own, and tables of its own where calls look often (requests). What
 *                   processes have in common (communicators, windows, files, groups) stands in tables under one lock
 *                   that is held for a look-up, never during an MPI call; threads remember what they found last, so
 *                   that calls which repeat themselves lock nothing. When a thread ends, the next one that begins goes
 *                   on with its journal: there are as many as threads were recorded at one time.
 *   pattern mode    one journal, in the order in which calls return (rule `threads-in-patterns`, docs/rules.md): the
 *                   lock is held while hooks run. A record of another thread than 0 has a DATA record before it that
 *                   says which.
 *
 * With a lower level of thread support there is one recorded thread and no lock, until the program makes a
 * thread or a team of threads (mora_threads_expect). Not async-signal-safe: a signal
 * handler that calls MPI while its thread holds the lock is taken to be part of the call. */
#ifndef MORA_MEASURE_CALL_THREADS_H
#define MORA_MEASURE_CALL_THREADS_H

#include "measure/call/call.h"

/* Arrays that a thread keeps for its next call. */
enum mora_room_kind {
  MORA_ROOM_STATUSES,
  MORA_ROOM_REQUESTS,
  MORA_ROOM_SOURCES,
  MORA_ROOM_DESTINATIONS,
  MORA_ROOM_SOURCE_WEIGHTS,
  MORA_ROOM_DESTINATION_WEIGHTS,
  MORA_ROOMS
};
struct mora_room {
  void* memory;
  uint32_t capacity;
};

/* Numbers that were given. */
struct mora_numbers {
  uint64_t requests; /* requests and matched messages */
  int32_t transfers; /* one-sided ones */
};

/* What one thread writes and another one reads or writes at each call stands so far apart: two cache lines, as
 * processors fetch them in pairs. */
enum { MORA_APART_BYTES = 128 };

/* One recorded thread, or those that had its place one after the other. Never freed. It fills its cache lines: a call
 * writes to no line that another thread's call uses. */
struct mora_thread {
  _Alignas(MORA_APART_BYTES) struct mora_journal journal; /* not in pattern mode, but of thread 0 */
  struct mora_numbers own;
  struct mora_numbers* numbers; /* its own; in pattern mode those of thread 0 */
  struct mora_requests* requests;
  struct mora_requests* held; /* the table whose lock this thread holds */
  struct mora_room rooms[MORA_ROOMS];
  struct mora_stack_walker* stacks; /* measure/stack */
  struct mora_thread_counters* counters;
  struct mora_python* python;   /* measure/stack; NULL where `stacks` has it */
  struct mora_samples* samples; /* measure/samples */
  struct mora_core core;
  struct mora_self* self;     /* NULL: the thread has ended */
  uint64_t ended;             /* ticks: when the thread had that had this journal before; 0: none had */
  uint32_t number;            /* 0: the thread that called MPI_Init */
  int is_off;                 /* its journal says that recording is off */
  uint64_t teams;             /* that it has made: measure/openmp */
  struct mora_thread* before; /* made before this one; NULL: thread 0 */
  struct mora_thread* unused; /* the next one that is free */
};
_Static_assert(sizeof(struct mora_thread) % MORA_APART_BYTES == 0, "nothing else stands in its cache lines");
extern MORA_HIDDEN struct mora_thread mora_first_thread;
extern MORA_HIDDEN struct mora_thread mora_no_thread; /* that of threads which are not recorded */

/* Requests of thread n are numbered from n << MORA_THREAD_BITS on. */
enum { MORA_THREAD_BITS = 40 };

/* Whether the calling thread called MPI_Init. */
static inline int mora_is_first_thread(void) { return mora_self.thread == &mora_first_thread; }

/* What the recorder does for a thread. Called by the thread itself, under the lock. */
struct mora_thread_hooks {
  int (*open)(struct mora_thread*); /* gives it a journal; 0: it cannot */
  void (*begin)(void);              /* it begins to be recorded: sets its resting gate */
  void (*end)(void);                /* it has ended; the gate is shut. Neither open nor end in pattern mode */
};

/* Call after MPI_Init: decides by the thread level that MPI provides whether several threads are recorded. */
void mora_threads_start(const struct mora_thread_hooks* hooks);
/* A thread or a team of threads is about to work (measure/pthread, measure/openmp): whatever MPI provides, they are
 * recorded from now on, if the first thread says so. Call between calls of MPI. 0: threads cannot be recorded. */
int mora_threads_expect(void);
/* No thread is recorded any more that is not yet, also in a forked child; under the lock, if there are others. */
void mora_threads_stop(void);

/* Makes the calling thread a recorded one, at its first call that is recorded. 0: it cannot be recorded. */
int mora_thread_admit(void);

/* Of all threads recorded so far, the newest one; mora_thread::before leads to the others. */
struct mora_thread* mora_threads_newest(void);

/* The lock; may be taken again by the thread that has it. Around what threads share, pre hooks that look into tables or
 * write records of pattern mode, marks, and the end of the recorder; not within post hooks of pattern mode
 * (mora_threads_unlock_now: call.h). */
void mora_threads_lock_now(void);

static inline void mora_threads_lock(void) { /* nothing but a test where one thread makes all calls */
  if (__builtin_expect(mora_threaded, 0)) mora_threads_lock_now();
}
static inline void mora_threads_unlock(void) { /* likewise */
  if (__builtin_expect(mora_threaded, 0)) mora_threads_unlock_now();
}

/* A lock of one byte, for moments. */
void mora_spin_lock(char* taken);
static inline void mora_spin_unlock(char* taken) { __atomic_store_n(taken, 0, __ATOMIC_RELEASE); }

#endif
