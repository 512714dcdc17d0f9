/* The processors that the process may use (PROCESSORS records: of the first thread, and of others that may use more, as
 * OpenMP binds each thread of a team to its own), and what it has used (USAGE). Called by the first thread, but for
 * what says thread; errno stays as it was. */
#ifndef MORA_MEASURE_RECORDER_PROCESSORS_H
#define MORA_MEASURE_RECORDER_PROCESSORS_H

#include <stdint.h>

/* How many processors the process may use, and a number that is equal for those of a node that may use the same. */
long mora_own_processors(uint64_t* which);
void mora_write_processors(void);
/* The calling thread begins to be recorded. Returns how many processors all threads so far may use together. */
long mora_processors_begin_thread(void);
void mora_write_usage(void);

#endif
