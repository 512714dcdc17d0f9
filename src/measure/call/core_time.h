/* Whether the process had a core, and what it did in the kernel: now and then the kernel's counters of a recorded
 * thread are read where a stretch of computation begins and where it ends (a CORE record each, in the thread's
 * journal), and once when MPI has started and before it ends, of other threads than the first behind what is recorded
 * of them first, and when they end. Which stretches: the first one after a random time of 7 ms on average, so that no
 * rhythm of the program hides one; none after a poll that found nothing. Of other threads the same where they begin or
 * end their part of a team of OpenMP, and behind the waits of POSIX threads.
 *
 * They are read at marks of intervals, too (user/marks.c), but no more than one for each millisecond of the run since
 * its start or the last 64 ms: marks may be closer together than a reading is long.
 *
 * Cost: one comparison at the begin of a call and at a mark; a reading takes three system calls (2 us), in threads
 * beyond the 64th five, as no descriptor is kept for each of them. errno stays as it was. Where the kernel's file
 * cannot be read (no descriptor is left, no /proc), a NOTE says so, and it is tried again ten times a second. */
#ifndef MORA_MEASURE_CALL_CORE_TIME_H
#define MORA_MEASURE_CALL_CORE_TIME_H

#include <stdint.h>

#include "journal/format.h"
#include "measure/call/hidden.h"

enum { MORA_CORE_COUNTERS = 6 };

/* What a thread has of it (mora_thread::core). A call that begins at mora_self::core_due or later looks for a reading
 * to be made: that is `due`, but 0 while samples wait, which the next call is to write, or while every call reads
 * counters. UINT64_MAX: readings are off. */
struct mora_core {
  uint64_t due;
  uint64_t random_state;
  uint64_t before[MORA_CORE_COUNTERS]; /* of what the kernel counted: no part of what is written */
  uint64_t last[MORA_CORE_COUNTERS];   /* that was written */
  int file;                            /* the kernel's, of the thread; -1: none is kept */
  int is_missing;                      /* a NOTE has said so */
  uint64_t read_bytes;                 /* from /proc, ever: io-read-bytes has none of them */
  int is_begun;                        /* the stretch after the last call */
  int is_new;                          /* nothing was written of this thread: the next reading says where it begins */
};

/* Before a call whose Enter is `begin`: ends the stretch if its begin was read, and says whether the end of the call
 * begins one (mora_self::leave_work). Returns the call's Enter. */
uint64_t mora_core_before_call(uint64_t begin);

/* A mark at this time or later is read. UINT64_MAX: readings are off. */
extern MORA_HIDDEN uint64_t mora_core_mark_due;
/* At such a mark: reads the counters as a CORE record has them. 0: the kernel does not tell. */
int mora_core_read_at_mark(uint64_t ticks, uint64_t* counters);
/* The record of them, behind that of the mark and with its time. */
void mora_core_write_at_mark(uint64_t ticks, const uint64_t* counters);

/* The first reading, when the journal is open; readings go on from here. `earlier`: clocks at least 1 ms ago. */
void mora_core_start(const struct mora_clock_triple* earlier);
/* The last reading. */
void mora_core_end(void);
/* What waited for the next call (samples) is done: calls look when a reading is due. */
void mora_core_due_again(void);
/* During a call: a stretch begins at its end, whatever is due. */
void mora_core_read_behind(void);
/* The calling thread, not the first one, begins to be recorded; it ends. */
void mora_core_begin_thread(void);
void mora_core_end_thread(void);
/* Outside of MPI calls, in other threads than the first: ends a stretch and begins one if it is due. `ticks`: now, no
 * later than the record that follows, samples have been written; `is_end`: the thread has nothing to do from here on,
 * so no stretch begins. */
void mora_core_read_here(uint64_t ticks, int is_end);
/* Recording was switched off or on in the calling thread, or ended. */
void mora_core_switch(int on);

#endif
