/* Computation that sleeps, writes, shares a processor or only computes between two calls; argv: which, times. Prints
 * how long all of it took, how long it did not run and how long it waited for a core (schedstat), by the clocks of the
 * system, and how unequal its stretches are: the root of the summed squares of what each did not run beyond its share
 * by length, which is what an estimate from some can miss. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double queued(void) {
  FILE* file = fopen("/proc/thread-self/schedstat", "r");
  unsigned long long cpu = 0, wait = 0;
  if (file && fscanf(file, "%llu %llu", &cpu, &wait) != 2) wait = 0;
  if (file) fclose(file);
  return (double)wait * 1e-9;
}

/* "share": all ranks on the first processor they may use; "uneven": rank 0 only. */
static void bind_to_one(const char* what) {
  const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  int is_first = 0;
  for (int i = 0; i < 2; i++) {
    const char* rank = getenv(names[i]);
    is_first |= rank && atoi(rank) == 0;
  }
  if (strcmp(what, "share") != 0 && (strcmp(what, "uneven") != 0 || !is_first)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof one, &one);
  int first = 0;
  while (!CPU_ISSET(first, &one)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void compute(double cpu_seconds) {
  static volatile double sum;
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu_seconds;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) sum += 1;
}

int main(int argc, char** argv) {
  static char data[200000];
  const char* what = argc > 1 ? argv[1] : "";
  const int wanted = argc > 2 ? atoi(argv[2]) : 100, times = wanted < MOST ? wanted : MOST;
  bind_to_one(what);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "written.%d", rank);
  const int file = strcmp(what, "write") == 0 ? open(name, O_CREAT | O_TRUNC | O_WRONLY | O_SYNC, 0600) : -1;
  static double took[MOST], idle[MOST];
  double wall = 0, not_running = 0, squares = 0, waited = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < times; i++) {
    const double wall_before = seconds(CLOCK_MONOTONIC), cpu_before = seconds(CLOCK_THREAD_CPUTIME_ID);
    const double queued_before = queued();
    compute(0.002);
    if (strcmp(what, "sleep") == 0) usleep(6000);
    if (file >= 0 && write(file, data, sizeof data) < 0) return 1;
    if (file >= 0 && lseek(file, 0, SEEK_SET) < 0) return 1;
    waited += queued() - queued_before;
    took[i] = seconds(CLOCK_MONOTONIC) - wall_before;
    idle[i] = took[i] - (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_before);
    wall += took[i];
    not_running += idle[i];
    MPI_Barrier(MPI_COMM_SELF);
  }
  for (int i = 0; i < times; i++) squares += pow(idle[i] - not_running / wall * took[i], 2);
  printf("rank %d wall %.6f not_running %.6f unequal %.6f queued %.6f\n", rank, wall, not_running, sqrt(squares),
         waited);
  MPI_Finalize();
  return 0;
}
