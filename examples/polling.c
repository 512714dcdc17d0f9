/* Polling: a rank asks again and again whether a message has come.
 *
 * Rank 1 computes for DELAY_MS before it sends; rank 0 calls MPI_Test without computing anything between the
 * calls.
 *
 * Remedy: compute between two tests; use MPI_Wait when there is nothing else to do.
 *
 * Mora must find, with 2 ranks:
 *   metric:  polling
 *   call:    MPI_Test
 *   ranks:   0
 *   seconds: 0.02 to 1.5 on each of these ranks
 *   finding: none
 *   counts:  polling-calls >2
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
  if (rank == 0) {
    int done = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    while (!done) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* waits here */
    }
  } else {
    compute(DELAY_MS);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }

  MPI_Finalize();
  return 0;
}
