/* The server of a dry run. The process that calls MPI_Init becomes the server: it is no rank, but forks one process per
 * rank, in which MPI_Init returns, waits for them all, and ends. */
#ifndef MORA_MEASURE_STANDIN_PROCESS_FORK_SERVER_H
#define MORA_MEASURE_STANDIN_PROCESS_FORK_SERVER_H

enum { STANDIN_STOPPED = 86, STANDIN_TIMED_OUT = 124 };

/* Turns this process into the server. Returns 1 in each forked process; 0 if there is no memory or the environment is
 * wrong. In the server it does not return: the process ends with the exit code of the dry run. */
int standin_serve(void);

/* 1: there is memory for one more auxiliary process that waits. */
int standin_may_suspend(int auxiliaries_alive);
/* In a new process: sets its rank and its standard streams. auxiliary = 1: not recorded, output discarded. */
void standin_start_process(int rank, int auxiliary);

#endif
