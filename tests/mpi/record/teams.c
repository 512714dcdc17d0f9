/* Teams of OpenMP in a program of MPI_THREAD_FUNNELED. Threads sleep, so that waits do not depend on the number of
 * processors; the program measures by its own clock what each waits for and says it:
 *
 *   teams rank=1 implicit=0.123456 explicit=… critical=… lock=… idle=… late=…
 *
 * Arguments: rounds, milliseconds of the longest part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "team_work.h"

enum { THREADS = 4 };

static double implicit_waits, explicit_waits, critical_waits, lock_waits;

static double missing(const double* ends) {
  double last = ends[0], sum = 0;
  for (int t = 1; t < THREADS; t++) last = ends[t] > last ? ends[t] : last;
  for (int t = 0; t < THREADS; t++) sum += last - ends[t];
  return sum;
}

static void uneven(double ms) {
  double ends[THREADS];
#pragma omp parallel num_threads(THREADS) /* line: parallel */
  {
    work(ms * (omp_get_thread_num() + 1) / THREADS);
    ends[omp_get_thread_num()] = now();
  }
  implicit_waits += missing(ends);
}

static void with_barrier(double ms) {
  double ends[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    work(omp_get_thread_num() == 2 ? ms : ms / 8);
    ends[omp_get_thread_num()] = now();
#pragma omp barrier /* line: barrier */
  }
  explicit_waits += missing(ends);
}

static void one_at_a_time(double ms) {
  double waited[THREADS], ends[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    const double before = now();
#pragma omp critical(table) /* line: critical */
    {
      waited[omp_get_thread_num()] = now() - before;
      work(ms / THREADS);
    }
    ends[omp_get_thread_num()] = now();
  }
  for (int t = 0; t < THREADS; t++) critical_waits += waited[t];
  implicit_waits += missing(ends);
}

static void locked(double ms, omp_lock_t* lock) {
  double waited[THREADS], ends[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    const double before = now();
    omp_set_lock(lock); /* line: lock */
    waited[omp_get_thread_num()] = now() - before;
    work(ms / THREADS);
    omp_unset_lock(lock);
    ends[omp_get_thread_num()] = now();
  }
  for (int t = 0; t < THREADS; t++) lock_waits += waited[t];
  implicit_waits += missing(ends);
}

static double given_out(int parts) {
  double sum = 0;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic) reduction(+ : sum) /* line: loop */
  for (int i = 0; i < parts; i++) {
    sum += 1;
    work(1);
  }
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const double ms = argc > 2 ? atof(argv[2]) : 20;
  int provided, rank;
  omp_lock_t lock;
#pragma omp parallel num_threads(2) /* before MPI_Init: not recorded */
  work(1);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_init_lock(&lock);
  double idle = 0;
  for (int round = 0; round < rounds; round++) {
    uneven(ms);
    with_barrier(ms);
    one_at_a_time(ms);
    locked(ms, &lock);
    if (given_out(8) != 8) abort();
    const double begin = now();
    work(ms / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    idle += (THREADS - 1) * (now() - begin);
  }
  printf("teams rank=%d implicit=%.6f explicit=%.6f critical=%.6f lock=%.6f idle=%.6f late=%.6f\n", rank,
         implicit_waits, explicit_waits, critical_waits, lock_waits, idle, late / THREADS);
  fflush(stdout);
  MPI_Finalize();
#pragma omp parallel num_threads(THREADS) /* after MPI_Finalize: not recorded */
  work(1);
  return 0;
}
