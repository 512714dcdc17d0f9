/* What the programs of this folder measure by their own clock. Processes are on one machine. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(double ms) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  nanosleep(&t, NULL);
}

static struct call {
  const char* what;
  double enter, leave;
} calls[256];
static int call_count;

static void note(const char* what, double enter, double leave) {
  if (call_count < 256) calls[call_count++] = (struct call){what, enter, leave};
}

/* Makes a call of the library and notes when. */
#define TIMED(what, call)       \
  do {                          \
    const double enter = now(); \
    call;                       \
    note(#what, enter, now());  \
  } while (0)

static void tell(int pe) {
  for (int i = 0; i < call_count; i++)
    printf("call pe=%d what=%s enter=%.9f leave=%.9f\n", pe, calls[i].what, calls[i].enter, calls[i].leave);
  fflush(stdout);
}

#endif
