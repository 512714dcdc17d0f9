/* Polling: a rank asks again and again whether a message has come, although it has other work.
 *
 * Rank 1 computes for DELAY_MS before it sends; rank 0 calls MPI_Test for POLL_MS without computing anything between
 * the calls, gives up, and only then does its other work. (A loop of tests that ends with the message is a wait: see
 * late_sender.c.)
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

enum { POLL_MS = 100, DELAY_MS = 200, WORK_MS = 300 };

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
    double begin = MPI_Wtime();
    while (!done && (MPI_Wtime() - begin) * 1000 < POLL_MS) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* waits here */
    }
    compute(WORK_MS);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* the message is there */
  } else if (rank == 1) {
    compute(DELAY_MS);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    compute(POLL_MS + WORK_MS - DELAY_MS);
  }

  MPI_Finalize();
  return 0;
}
