/* Late non-blocking broadcast: MPI_Wait waits for a root that has not started MPI_Ibcast.
 *
 * Rank 1, the root, computes for DELAY_MS before it starts the broadcast; the others wait for its data.
 *
 * Remedy: start the operation as early as possible and compute between start and MPI_Wait.
 *
 * Mora must find, with 3 ranks:
 *   metric:  nonblocking-late-broadcast
 *   call:    MPI_Wait
 *   ranks:   0 2
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
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

  int value = rank;
  MPI_Request request;
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request); /* late here */
  MPI_Wait(&request, MPI_STATUS_IGNORE);                       /* waits here */

  MPI_Finalize();
  return 0;
}
