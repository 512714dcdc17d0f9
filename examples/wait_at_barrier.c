/* Wait at Barrier: ranks wait at a barrier for the last one.
 *
 * Rank 3 computes DELAY_MS longer than the others, who stand at the barrier until it comes.
 *
 * Remedy: share the work evenly, or ask whether the barrier is needed at all.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-barrier
 *   call:    MPI_Barrier
 *   ranks:   0 1 2
 *   causes:  3
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

  if (rank == 3) {
    compute(DELAY_MS);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
