/* Teams of two threads that compute between collectives. Prints how long the second thread ran, by its own clock: from
 * its first part to the end of its last one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { TEAMS = 60, WORK = 4000000 };

static double ran(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0, begin = 0, end = 0;
  for (int team = 0; team < TEAMS; team++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
      const int is_second = omp_get_thread_num() == 1;
      if (is_second && team == 0) begin = ran();
      for (int i = 0; i < WORK; i++) sum += i * 1e-9;
      if (is_second) end = ran();
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("rank %d second thread %.6f\n", rank, end - begin);
  MPI_Finalize();
  return 0;
}
