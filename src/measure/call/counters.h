/* Counters of processor and kernel (mora record --counters), read at begin and end of every recorded call of every
 * recorded thread, and where functions and marks of the program begin and end (a COUNTERS record each).
 *
 * Cost without them: nothing, calls take the way on which a reading of the core may be due (mora_self::core_due), and
 * the way back of a clock that is not the TSC (mora_return_is_plain). With them two readings a call
 * (measure/counters/counter_set.h). What the readings themselves take is outside of the call's time. */
#ifndef MORA_MEASURE_CALL_COUNTERS_H
#define MORA_MEASURE_CALL_COUNTERS_H

#include <stdint.h>

#include "measure/call/hidden.h"

struct mora_call;

extern MORA_HIDDEN int mora_counters_on;

/* Opens those of the thread that made MPI_Init, as MORA_COUNTERS says, and reads them. */
void mora_counters_start(void);

/* Before a call whose Enter is `begin`; returns its Enter, behind the reading. Of a thread's first call opens its
 * counters. */
uint64_t mora_counters_before_call(uint64_t begin);
/* Behind the call, whose end is known, and before its record. */
void mora_counters_after_call(struct mora_call* call);
/* The calling thread ends: closes its counters while its own files can be told from the program's. */
void mora_counters_end_thread(void);
/* A reading at another place; `ticks`: no later than the record that follows. */
void mora_counters_read_now(uint64_t ticks);
static inline void mora_counters_here(uint64_t ticks) {
  if (__builtin_expect(mora_counters_on, 0)) mora_counters_read_now(ticks);
}

#endif
