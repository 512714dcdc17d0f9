#include <time.h>

double relax(double ms);
static double used(void);
static volatile double start = 3;

double relax(double ms) {
  double x = start;
  const double end = used() + ms * 1e-3;
  do {
    for (int i = 0; i < 20000; i++) x = x * 0.999 + 0.001;
  } while (used() < end);
  return x;
}

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
