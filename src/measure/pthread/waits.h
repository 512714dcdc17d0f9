/* Waits of POSIX threads: pthread_create, pthread_join, pthread_mutex_lock, pthread_cond_wait and its like. */
#ifndef MORA_MEASURE_PTHREAD_WAITS_H
#define MORA_MEASURE_PTHREAD_WAITS_H

/* Recorded between the two, if the environment says so; stop also in a forked child. */
void mora_pthreads_start(void);
void mora_pthreads_stop(void);

#endif
