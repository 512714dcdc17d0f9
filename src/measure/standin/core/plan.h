/* What the environment asks of a dry run (docs/user/dryrun.md). */
#ifndef MORA_MEASURE_STANDIN_CORE_PLAN_H
#define MORA_MEASURE_STANDIN_CORE_PLAN_H

struct standin_plan {
  int world_size; /* MORA_DRYRUN */
  int* ranks;     /* MORA_DRYRUN_RANKS: "0-15,2048"; without: all */
  int n_ranks;
  int jobs;       /* MORA_DRYRUN_JOBS: ranks at a time, and as many auxiliary processes */
  int together;   /* MORA_DRYRUN_TOGETHER=1: all ranks live at once and exchange real data (exchange.h) */
  double timeout; /* MORA_DRYRUN_TIMEOUT, seconds for each process, without waiting for others' contributions; 0 none */
  int ranks_per_node; /* MORA_DRYRUN_NODE; 0: all ranks are on one node */
  enum { STANDIN_OUTPUT_FIRST, STANDIN_OUTPUT_ALL, STANDIN_OUTPUT_NONE } output; /* MORA_DRYRUN_OUTPUT */
  int progress;          /* MORA_DRYRUN_PROGRESS=1: a line on standard error while it runs */
  const char* directory; /* MORA_DIR; NULL: results are not kept */
};
extern struct standin_plan standin_plan;

/* Fills standin_plan. 0: the environment is wrong; standard error says in what. */
int standin_read_plan(void);

#endif
