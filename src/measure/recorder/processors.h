/* The processors that the process may use (a PROCESSORS record), and what it has used (USAGE). Called by the first
 * thread; errno stays as it was. */
#ifndef MORA_MEASURE_RECORDER_PROCESSORS_H
#define MORA_MEASURE_RECORDER_PROCESSORS_H

void mora_write_processors(void);
void mora_write_usage(void);

#endif
