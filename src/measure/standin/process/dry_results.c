#include "measure/standin/process/dry_results.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/standin/core/plan.h"
#include "measure/standin/process/fork_server.h"
#include "mpi/function_table.h"

static FILE* results;
static int worst_rank = INT_MAX, exit_code;

void standin_results_begin(void) {
  if (!standin_plan.directory) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/dryrun", standin_plan.directory);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/dryrun/%s.txt", standin_plan.directory, getenv("MORA_RUN_TAG"));
  results = fopen(path, "we");
  if (!results) return;
  setvbuf(results, NULL, _IOLBF, 0); /* no child inherits half a line */
  fprintf(results, "job\t%d\t%d\n", standin_plan.world_size, standin_plan.n_ranks);
}

void standin_save_maps(int rank, pid_t process) {
  char path[4096], line[4096];
  if (!standin_plan.directory) return;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  FILE* from = fopen(path, "re");
  snprintf(path, sizeof path, "%s/journal/%s.%d.maps", standin_plan.directory, getenv("MORA_RUN_TAG"), rank);
  FILE* to = from ? fopen(path, "wxe") : NULL;
  while (to && fgets(line, sizeof line, from))
    if (strstr(line, " r-x")) fputs(line, to);
  if (to) fclose(to);
  if (from) fclose(from);
}

void standin_report_rank(const struct standin_progress* progress, const char* state, int code, double seconds) {
  if (code != 0 && progress->rank < worst_rank) {
    worst_rank = progress->rank;
    exit_code = code;
  }
  if (!results) return;
  if (code != 0 && progress->inside) standin_save_maps(progress->rank, getpid());
  const char* last = progress->function ? mora_function_name(progress->function) : NULL;
  char text[sizeof progress->text];
  snprintf(text, sizeof text, "%s", progress->text);
  for (char* c = text; *c; c++)
    if (*c == '\t' || *c == '\n') *c = ' ';
  fprintf(results, "rank\t%d\t%s\t%d\t%.6f\t%llu\t%s\t%d\t%s\t%d\n", progress->rank, state, code, seconds,
          (unsigned long long)progress->calls, last ? last : "-", progress->inside != 0, text,
          strcmp(state, "deadlock") == 0 ? progress->waits_for : -1);
}

int standin_results_end(uint64_t auxiliaries) {
  if (!results) return exit_code;
  for (int i = 0; i < STANDIN_NOTES && standin_shared->notes[i].text; i++)
    fprintf(results, "note\t%llu\t%s\n", (unsigned long long)standin_shared->notes[i].count,
            (const char*)(uintptr_t)standin_shared->notes[i].text);
  fprintf(results, "scouts\t%llu\n", (unsigned long long)auxiliaries);
  fclose(results);
  return exit_code;
}
