/* Work of threads of a team that takes no processor: they sleep. */
#ifndef TEAM_WORK_H
#define TEAM_WORK_H
#include <time.h>

/* How much longer than asked for threads slept: what the machine does to any two readings of a clock. */
static double late;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(double ms) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  const double begin = now();
  nanosleep(&t, NULL);
  const double more = now() - begin - ms / 1000;
#pragma omp atomic
  late += more;
}

#endif
