/* Wait at Finalize: ranks that have finished wait for the last one to end.
 *
 * MPI_Finalize synchronises in practice. Rank 1 has DELAY_MS more to do before it calls it.
 *
 * Remedy: share the work evenly, or shorten what one rank does alone at the end (often: writing the results).
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-finalize
 *   call:    MPI_Finalize
 *   ranks:   0 2 3
 *   causes:  1
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

  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_Finalize(); /* waits here, late here */
  return 0;
}
