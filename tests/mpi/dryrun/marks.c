/* Prints what a phase and a block that a dry run skips cost together without Mora, in ns of processor time: the best of
 * 20 rounds, less what the work itself costs. */
#include <mora/mora.h>
#include <stdio.h>
#include <time.h>

enum { TIMES = 200000, ROUNDS = 20 };
static volatile unsigned work;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
  double best[2] = {1e18, 1e18};
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < TIMES; i++) work++;
    double took = now() - start;
    if (took < best[0]) best[0] = took;
    start = now();
    for (int i = 0; i < TIMES; i++) {
      mora_phase_begin("solve");
      MORA_SKIP_BEGIN
      work++;
      MORA_SKIP_END
      mora_phase_end("solve");
    }
    took = now() - start;
    if (took < best[1]) best[1] = took;
  }
  printf("%.2f\n", (best[1] - best[0]) / TIMES);
  return work != 2u * TIMES * ROUNDS; /* nothing was skipped */
}
