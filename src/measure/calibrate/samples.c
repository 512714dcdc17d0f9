/* The clock, pauses, and the lines of the raw file. */
#include <stdlib.h>
#include <time.h>

#include "measure/calibrate/calibrate.h"

int64_t mora_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void mora_spin(int64_t duration) {
  const int64_t end = mora_now() + duration;
  while (mora_now() < end) {
  }
}

/* Some libraries' small sends, and what others do to a window, are over only when MPI takes what comes. */
void mora_spin_in_mpi(MPI_Comm comm, int source, int64_t duration) {
  enum { unused_tag = 8 };
  const int64_t end = mora_now() + duration;
  int found = 0;
  while (mora_now() < end) MPI_Iprobe(source, unused_tag, comm, &found, MPI_STATUS_IGNORE);
}

void mora_wait_for_all(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    const struct timespec pause = {0, 1000000};
    if (!done) nanosleep(&pause, NULL);
  }
}

void mora_sample(const struct mora_pair* pair, int pass, const char* test, int64_t bytes, int64_t ns) {
  fprintf(pair->raw, "%s,%d,%d,%d,%s,%lld,%lld\n", pair->class_name, pair->from, pair->to, pass, test, (long long)bytes,
          (long long)ns);
}

static int compare(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return x < y ? -1 : x > y;
}

int64_t mora_median(int64_t* times, int n) {
  qsort(times, (size_t)n, sizeof *times, compare);
  return times[n / 2];
}
