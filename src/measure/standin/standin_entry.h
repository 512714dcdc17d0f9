/* What the generated entries (standin_entries.c) call around every function of the stand-in. */
#ifndef MORA_MEASURE_STANDIN_ENTRY_H
#define MORA_MEASURE_STANDIN_ENTRY_H

#include "measure/standin/standin.h"

/* Takes the lock and tells the watchdog the function, unless it is a call inside a call. Returns what standin_leave
 * wants back. */
unsigned standin_enter(unsigned function);
void standin_leave(unsigned outer);

/* Fills mora_real: before the first PMPI_*. Idempotent; two threads may do it at once. */
void standin_find_mpi(void);

#endif
