/* Wait at N x N: an all-to-all operation cannot end before the last rank has come.
 *
 * MPI_Allreduce needs a contribution of every rank before any rank can have the result. Rank 2 brings its own
 * DELAY_MS late.
 *
 * Remedy: share the work evenly; or use the non-blocking form and compute meanwhile.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-nxn
 *   call:    MPI_Allreduce
 *   ranks:   0 1 3
 *   causes:  2
 *   seconds: 0.25 to 2.0 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 400 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  double mine = rank;
  double sum;
  if (rank == 2) {
    compute(DELAY_MS);
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
