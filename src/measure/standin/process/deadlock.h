/* Deadlocks of a dry run of all ranks together: every process sleeps, and none has an event that it has not seen. */
#ifndef MORA_MEASURE_STANDIN_PROCESS_DEADLOCK_H
#define MORA_MEASURE_STANDIN_PROCESS_DEADLOCK_H

#include "measure/standin/core/shared.h"

/* Called again and again by the server with the processes that live. Returns 1 once they have been found to wait for
 * each other, for a second, and have said for what (`text` and `waits_for` of their progress). */
int standin_is_deadlock(struct standin_progress* const* living, int n, double now);

#endif
