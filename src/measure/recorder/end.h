/* How the process ends, where it can still be told: into struct mora_state (journal/format.h). */
#ifndef MORA_MEASURE_RECORDER_END_H
#define MORA_MEASURE_RECORDER_END_H

/* Signals that end a process, and _exit, are noted from now on, and go on to whoever would have had them. */
void mora_watch_end(void);

#endif
