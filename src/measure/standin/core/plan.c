/* What the environment asks of a dry run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/standin/core/plan.h"

struct standin_plan standin_plan;

static int number_of(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

static int wrong(const char* name, const char* text) {
  fprintf(stderr, "mora dry run: %s=%s makes no sense in a job of %d ranks\n", name, text, standin_plan.world_size);
  return 0;
}

/* "0-15,2048": ascending, each once. */
static int read_ranks(const char* text) {
  struct standin_plan* plan = &standin_plan;
  char* chosen = calloc((size_t)plan->world_size, 1);
  plan->ranks = malloc((size_t)plan->world_size * sizeof *plan->ranks);
  if (!chosen || !plan->ranks) return 0;
  if (!text || !*text || strcmp(text, "all") == 0) {
    memset(chosen, 1, (size_t)plan->world_size);
  } else {
    for (const char* at = text; *at;) {
      char* end;
      const long first = strtol(at, &end, 10);
      long final = first;
      if (end == at) return wrong("MORA_DRYRUN_RANKS", text);
      if (*end == '-') {
        at = end + 1;
        final = strtol(at, &end, 10);
        if (end == at) return wrong("MORA_DRYRUN_RANKS", text);
      }
      if (first < 0 || final < first || final >= plan->world_size || (*end && *end != ','))
        return wrong("MORA_DRYRUN_RANKS", text);
      memset(chosen + first, 1, (size_t)(final - first + 1));
      at = *end ? end + 1 : end;
    }
  }
  for (int rank = 0; rank < plan->world_size; rank++)
    if (chosen[rank]) plan->ranks[plan->n_ranks++] = rank;
  free(chosen);
  return 1;
}

int standin_read_plan(void) {
  struct standin_plan* plan = &standin_plan;
  plan->world_size = number_of("MORA_DRYRUN", 0);
  plan->jobs = number_of("MORA_DRYRUN_JOBS", (int)sysconf(_SC_NPROCESSORS_ONLN));
  if (plan->jobs < 1) plan->jobs = 1;
  plan->together = number_of("MORA_DRYRUN_TOGETHER", 0);
  if (plan->together) plan->jobs = plan->world_size;
  const char* timeout = getenv("MORA_DRYRUN_TIMEOUT");
  plan->timeout = timeout && *timeout ? atof(timeout) : 300;
  plan->ranks_per_node = number_of("MORA_DRYRUN_NODE", 0);
  const char* output = getenv("MORA_DRYRUN_OUTPUT");
  if (output && strcmp(output, "all") == 0) plan->output = STANDIN_OUTPUT_ALL;
  if (output && strcmp(output, "none") == 0) plan->output = STANDIN_OUTPUT_NONE;
  plan->progress = number_of("MORA_DRYRUN_PROGRESS", 0);
  plan->directory = getenv("MORA_DIR");
  if (plan->directory && !*plan->directory) plan->directory = NULL;
  return plan->world_size > 0 && read_ranks(getenv("MORA_DRYRUN_RANKS"));
}
