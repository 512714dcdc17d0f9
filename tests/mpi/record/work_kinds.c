/* Work that a team of four shares out in all ways. By the program's own clock, summed over all threads and rounds: how
 * long the parts of loops and sections took, and how long threads waited for the value that one of them made for all:
 *
 *   work rank=0 parts=0.123456 value=… late=…
 *
 * Arguments: rounds, milliseconds of the longest part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double parts, values, late;

static void work(double ms, int is_part) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  const double begin = now();
  nanosleep(&t, NULL);
  const double took = now() - begin;
#pragma omp atomic
  late += took - ms / 1000;
  if (is_part) {
#pragma omp atomic
    parts += took;
  }
}

static void team(double ms) {
  double made = 0, came[THREADS];
  int maker = -1;
#pragma omp parallel num_threads(THREADS)
  {
    const int me = omp_get_thread_num();
    double value;
#pragma omp for schedule(dynamic) /* line: dynamic */
    for (int i = 0; i < 2 * THREADS; i++) work(ms * (i + 1) / THREADS / 4, 1);
#pragma omp for schedule(guided) nowait /* line: guided */
    for (unsigned long long i = 0; i < 2 * THREADS; i++) work(ms / 8, 1);
#pragma omp for schedule(runtime) ordered /* line: runtime */
    for (int i = 0; i < THREADS; i++) {
      work(ms / 8, 1);
#pragma omp ordered
      if (i < 0) abort();
    }
#pragma omp for schedule(static, 1) /* line: static */
    for (int i = 0; i < THREADS; i++) work(1, 0);
#pragma omp sections /* line: sections */
    {
#pragma omp section
      work(ms / 4, 1);
#pragma omp section
      work(ms / 2, 1);
    }
#pragma omp sections nowait /* line: further sections */
    {
#pragma omp section
      work(ms / 4, 1);
    }
#pragma omp barrier
    came[me] = now();
#pragma omp single copyprivate(value) /* line: value */
    {
      work(ms, 0);
      maker = me;
      value = made = now();
    }
    if (value != made) abort();
#pragma omp master /* line: master */
    work(1, 0);
#pragma omp single nowait /* line: single */
    work(1, 0);
  }
  for (int t = 0; t < THREADS; t++) values += t == maker ? 0 : made - came[t];
}

/* Loops in a parallel region of their own, within a loop that is open. */
static void within(double ms) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic) /* line: around */
  for (int i = 0; i < 2; i++) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int j = 0; j < 2; j++) work(ms / 8, 0); /* line: inner */
#pragma omp parallel sections num_threads(2)     /* line: inner sections */
    {
#pragma omp section
      work(ms / 8, 0);
#pragma omp section
      work(ms / 8, 0);
    }
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  const double ms = argc > 2 ? atof(argv[2]) : 40;
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; round++) {
    team(ms);
    within(ms);
  }
  printf("work rank=%d parts=%.6f value=%.6f late=%.6f\n", rank, parts, values, late);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
