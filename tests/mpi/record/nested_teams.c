/* Teams within a team: two threads make a team each of one parallel region, at once, again and again; the program
 * measures by its own clock what the threads of all teams wait for each other and says it:
 *
 *   nested rank=0 waits=0.123456 late=…
 *
 * Arguments: rounds, milliseconds of the longest part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "team_work.h"

enum { MAKERS = 2, THREADS = 3 };

/* What the threads of one team wait for the last of them. */
static double team(int maker, double ms) {
  double ends[THREADS], last = 0, sum = 0;
#pragma omp parallel num_threads(THREADS) /* line: inner */
  {
    const int me = omp_get_thread_num();
    work(maker == 0 ? ms * (me + 1) / THREADS : ms / 2 - ms * me / 8);
    ends[me] = now();
  }
  for (int t = 0; t < THREADS; t++) last = ends[t] > last ? ends[t] : last;
  for (int t = 0; t < THREADS; t++) sum += last - ends[t];
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const double ms = argc > 2 ? atof(argv[2]) : 20;
  int provided, rank;
  double inner = 0, ends[MAKERS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(MAKERS) reduction(+ : inner) /* line: outer */
  {
    for (int round = 0; round < rounds; round++) inner += team(omp_get_thread_num(), ms);
    ends[omp_get_thread_num()] = now();
  }
  const double outer = ends[0] < ends[1] ? ends[1] - ends[0] : ends[0] - ends[1];
  printf("nested rank=%d waits=%.6f late=%.6f\n", rank, inner + outer, late);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
