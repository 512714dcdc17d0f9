/* Early Reduce: the root of a reduction comes too early and waits for the contributions.
 *
 * All ranks but the root compute for DELAY_MS before they bring their part. The root stands in MPI_Reduce
 * meanwhile.
 *
 * Remedy: let the root do its other work first, or use MPI_Ireduce.
 *
 * Mora must find, with 4 ranks:
 *   metric:  early-reduce
 *   call:    MPI_Reduce
 *   ranks:   0
 *   causes:  1 2 3
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
  if (rank != 0) {
    compute(DELAY_MS);
  }
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
