/* Waits of POSIX threads: pthread_create, pthread_join, and what threads wait for (waits.c, locks.c). */
#ifndef MORA_MEASURE_PTHREAD_WAITS_H
#define MORA_MEASURE_PTHREAD_WAITS_H

/* Recorded between the two, if the environment says so; stop also in a forked child. */
void mora_pthreads_start(void);
void mora_pthreads_stop(void);

#endif
