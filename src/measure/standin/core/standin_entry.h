/* What the generated entries (standin_entries.c) call around every function of the stand-in. */
#ifndef MORA_MEASURE_STANDIN_CORE_STANDIN_ENTRY_H
#define MORA_MEASURE_STANDIN_CORE_STANDIN_ENTRY_H

#include "measure/standin/core/standin.h"

/* Takes the lock (recursive) and, unless this is a call inside a call, writes the function to the process's progress,
 * which the server watches. Returns what standin_leave must be given. Thread-safe; not for signal handlers. */
unsigned standin_enter(unsigned function);
void standin_leave(unsigned outer);
/* Around sleeping in a call: other threads may make calls meanwhile. The first returns what the second must be given.
 */
unsigned standin_open_lock(void);
void standin_close_lock(unsigned depth);

/* Finds the real library's functions (mora_real): call before the first PMPI_*. Idempotent and thread-safe. */
void standin_find_mpi(void);

#endif
