/* The processors that the process may use (a PROCESSORS record), and what it has used (USAGE). Called by the first
 * thread; errno stays as it was. */
#ifndef MORA_MEASURE_RECORDER_PROCESSORS_H
#define MORA_MEASURE_RECORDER_PROCESSORS_H

#include <stdint.h>

/* How many processors the process may use, and a number that is equal for those of a node that may use the same. */
long mora_own_processors(uint64_t* which);
void mora_write_processors(void);
void mora_write_usage(void);

#endif
