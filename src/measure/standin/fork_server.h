/* The server of a dry run. The process that calls MPI_Init becomes the server: it is no rank, but forks one process per
 * rank, in which MPI_Init returns, waits for them all, and ends. */
#ifndef MORA_MEASURE_STANDIN_FORK_SERVER_H
#define MORA_MEASURE_STANDIN_FORK_SERVER_H

#include <stdint.h>

enum { STANDIN_STOPPED = 86, STANDIN_TIMED_OUT = 124 };

/* What the environment asks for (docs/user/dryrun.md). */
struct standin_plan {
  int world_size; /* MORA_DRYRUN */
  int* ranks;     /* MORA_DRYRUN_RANKS: "0-15,2048"; without: all */
  int n_ranks;
  int jobs;       /* MORA_DRYRUN_JOBS: ranks at a time, and as many auxiliary processes */
  double timeout; /* MORA_DRYRUN_TIMEOUT, seconds for each process, without waiting for others' contributions; 0 none */
  int ranks_per_node; /* MORA_DRYRUN_NODE; 0: all ranks are on one node */
  enum { STANDIN_OUTPUT_FIRST, STANDIN_OUTPUT_ALL, STANDIN_OUTPUT_NONE } output; /* MORA_DRYRUN_OUTPUT */
  int progress;          /* MORA_DRYRUN_PROGRESS=1: a line on standard error while it runs */
  const char* directory; /* MORA_DIR; NULL: results are not kept */
};
extern struct standin_plan standin_plan;

/* Fills standin_plan. 0: the environment is wrong; standard error says in what. */
int standin_read_plan(void);

/* Turns this process into the server. Returns 1 in each forked process; 0 if there is no memory or the environment is
 * wrong. In the server it does not return: the process ends with the exit code of the dry run. */
int standin_serve(void);

/* In a new process: sets its rank and its standard streams. auxiliary = 1: not recorded, output discarded. */
void standin_start_process(int rank, int auxiliary);

#endif
