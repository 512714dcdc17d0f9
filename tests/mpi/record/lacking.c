/* A program that takes away what the recorder or the reader of its records wants; argv[1] chooses. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void on_signal(int number) { (void)number, came++; }

static void handle_all(void) {
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++) signal(number, on_signal);
}

static volatile double sum;

__attribute__((noinline)) void burn(void) {
  struct timespec t;
  do {
    for (int i = 0; i < 20000; i++) sum = sum * 0.999 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((t.tv_nsec / 100000000) % 2 == 0);
  do {
    for (int i = 0; i < 20000; i++) sum = sum * 0.999 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((t.tv_nsec / 100000000) % 2 == 1);
}

__attribute__((noinline)) void step(void) {
  burn();
  MPI_Barrier(MPI_COMM_WORLD);
  sum += 1; /* or the call would be a jump */
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "signals") == 0) handle_all();
  if (strcmp(what, "timers") == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_SIGPENDING, &none);
  }
  MPI_Init(&argc, &argv);
  step();
  if (strcmp(what, "takes") == 0) {
    handle_all();
    raise(SIGRTMAX);
  }
  step();
  if (strcmp(what, "replace") == 0 && rename(argv[2], argv[3]) != 0) return 1;
  if (strcmp(what, "remove") == 0 && unlink(argv[2]) != 0) return 1;
  printf("signals that came: %d\n", (int)came);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
