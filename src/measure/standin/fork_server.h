/* The process that called MPI_Init first is no rank: it forks one process per rank, in which MPI_Init returns, waits
 * for them, and ends. */
#ifndef MORA_MEASURE_STANDIN_FORK_SERVER_H
#define MORA_MEASURE_STANDIN_FORK_SERVER_H

#include <stdint.h>

enum { STANDIN_STOPPED = 86, STANDIN_TIMED_OUT = 124 };

/* What the environment asks for (docs/user/dryrun.md). */
struct standin_plan {
  int world_size; /* MORA_DRYRUN */
  int* ranks;     /* MORA_DRYRUN_RANKS: "0-15,2048"; without: all */
  int n_ranks;
  int jobs;           /* MORA_DRYRUN_JOBS: ranks at a time, and as many scouts */
  double timeout;     /* MORA_DRYRUN_TIMEOUT, seconds of a rank's life that are not spent waiting for scouts; 0 never */
  int ranks_per_node; /* MORA_DRYRUN_NODE; 0: all ranks are on one node */
  enum { STANDIN_OUTPUT_FIRST, STANDIN_OUTPUT_ALL, STANDIN_OUTPUT_NONE } output; /* MORA_DRYRUN_OUTPUT */
  int progress;          /* MORA_DRYRUN_PROGRESS=1: a line on standard error while it runs */
  const char* directory; /* MORA_DIR; NULL: results are not kept */
};
extern struct standin_plan standin_plan;

/* 0: the environment is wrong, said on standard error. */
int standin_read_plan(void);

/* Returns 1 in each rank; 0 if it could not be done (told). Never returns in the server. */
int standin_serve(void);

/* In a new child: who it is and where its output goes. */
void standin_start_process(int rank, int scout);

#endif
