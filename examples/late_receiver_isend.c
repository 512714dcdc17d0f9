/* Late Receiver, non-blocking: MPI_Wait for a large send waits until its receive is posted.
 *
 * Rank 0 starts to send a message that is too large to be buffered and waits for it; rank 1 computes for DELAY_MS
 * before it posts the receive.
 *
 * Remedy: post receives before the computation; compute between MPI_Isend and MPI_Wait.
 *
 * Mora must find, with 2 ranks:
 *   metric:  late-receiver
 *   call:    MPI_Wait
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200, NUMBERS = 1000000 };

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

  static double data[NUMBERS];
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(data, NUMBERS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* waits here */
  } else if (rank == 1) {
    compute(DELAY_MS);
    MPI_Recv(data, NUMBERS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* late here */
  }

  MPI_Finalize();
  return 0;
}
