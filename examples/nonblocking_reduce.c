/* Early non-blocking reduction: the root waits for a rank that has not started MPI_Ireduce.
 *
 * Rank 1 computes for DELAY_MS before it starts the reduction; rank 0, the root, waits for its data.
 *
 * Remedy: start the operation as early as possible and compute between start and MPI_Wait.
 *
 * Mora must find, with 3 ranks:
 *   metric:  nonblocking-early-reduce
 *   call:    MPI_Wait
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   also:    wait-at-finalize
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200 };

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

  int value = rank, sum = 0;
  MPI_Request request;
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_Ireduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request); /* late here */
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                       /* waits here */

  MPI_Finalize();
  return 0;
}
