/* Whether the process had a core, and what it did in the kernel: now and then the kernel's counters of the thread that
 * called MPI_Init are read where a stretch of computation begins and where it ends (a CORE record each), and once when
 * MPI has started and before it ends. Which stretches: the first one after a random time of 7 ms on average, so that no
 * rhythm of the program hides one; none after a poll that found nothing.
 *
 * They are read at marks of intervals, too (user/marks.c), but no more than one for each millisecond of the run since
 * its start or the last 64 ms: marks may be closer together than a reading is long.
 *
 * Cost: one comparison at the begin of a call and at a mark; a reading takes three system calls (2 us). Other threads
 * may look whether a reading is due; none is made in them. errno stays as it was. */
#ifndef MORA_MEASURE_CALL_CORE_TIME_H
#define MORA_MEASURE_CALL_CORE_TIME_H

#include <stdint.h>

#include "journal/format.h"
#include "measure/call/hidden.h"

/* A call that begins at this time or later looks for a reading to be made. UINT64_MAX: readings are off. */
extern MORA_HIDDEN uint64_t mora_core_due;

/* Before a call whose Enter is `begin`: ends the stretch if its begin was read, and says whether the end of the call
 * begins one (mora_leave_work). Returns the call's Enter. */
uint64_t mora_core_before_call(uint64_t begin);

/* A mark at this time or later is read. UINT64_MAX: readings are off. */
extern MORA_HIDDEN uint64_t mora_core_mark_due;
enum { MORA_CORE_COUNTERS = 6 };
/* At such a mark: reads the counters as a CORE record has them. 0: the kernel does not tell. */
int mora_core_read_at_mark(uint64_t ticks, uint64_t* counters);
/* The record of them, behind that of the mark and with its time. */
void mora_core_write_at_mark(uint64_t ticks, const uint64_t* counters);

/* The first reading, when the journal is open; readings go on from here. `earlier`: clocks at least 1 ms ago. */
void mora_core_start(const struct mora_clock_triple* earlier);
/* The last reading. */
void mora_core_end(void);
/* During a call: a stretch begins at its end, whatever is due. */
void mora_core_read_behind(void);
/* Recording was switched off or on, or ended. */
void mora_core_switch(int on);

#endif
