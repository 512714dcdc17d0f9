/* Processes: whether one may wait, and the first steps of a new one: which rank it is, what its standard streams are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/standin/core/plan.h"
#include "measure/standin/core/standin.h"
#include "measure/standin/process/fork_server.h"

static void redirect(int descriptor, const char* path, int flags) {
  const int file = open(path, flags, 0666);
  if (file < 0) return;
  dup2(file, descriptor);
  if (file != descriptor) close(file);
}

/* A file is read from where it stood at MPI_Init by each process that reads it; what comes through a pipe goes to rank
 * 0. */
static void arrange_input(int rank, int auxiliary) {
  struct stat status;
  if (rank == 0 && fstat(0, &status) == 0 && S_ISREG(status.st_mode)) {
    const off_t at = lseek(0, 0, SEEK_CUR);
    redirect(0, "/proc/self/fd/0", O_RDONLY);
    lseek(0, at, SEEK_SET);
  } else if (rank != 0 || auxiliary) {
    redirect(0, "/dev/null", O_RDONLY);
  }
}

static void arrange_output(int rank) {
  const struct standin_plan* plan = &standin_plan;
  if (plan->output == STANDIN_OUTPUT_ALL || (plan->output == STANDIN_OUTPUT_FIRST && rank == plan->ranks[0])) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/output/%d.txt", plan->directory ? plan->directory : "", rank);
  redirect(1, plan->directory ? path : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  dup2(1, 2);
}

static long available_kb(void) {
  long kb = -1;
  FILE* file = fopen("/proc/meminfo", "re");
  char line[256];
  while (file && kb < 0 && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %ld", &kb) != 1) kb = -1;
  if (file) fclose(file);
  return kb;
}

/* A suspended process costs the memory that it has changed: from half a megabyte to all of the program's data. They may
 * use a quarter of what was free at the beginning. */
int standin_may_suspend(int auxiliaries_alive) {
  static long at_first, lately;
  static int wanted = -2, asked;
  if (wanted == -2) {
    const char* text = getenv("MORA_DRYRUN_PARKED");
    wanted = text && *text ? atoi(text) : -1;
    at_first = available_kb();
  }
  if (wanted >= 0) return auxiliaries_alive < wanted;
  if (asked++ % 16 == 0) lately = available_kb();
  return auxiliaries_alive < 16384 && lately > at_first / 4 * 3;
}

void standin_start_process(int rank, int auxiliary) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  standin_world_rank = rank;
  standin_world_size = standin_plan.world_size;
  arrange_input(rank, auxiliary);
  if (auxiliary) {
    unsetenv("MORA_DIR"); /* the recorder stays off */
    redirect(1, "/dev/null", O_WRONLY);
    redirect(2, "/dev/null", O_WRONLY);
  } else {
    arrange_output(rank);
  }
}
