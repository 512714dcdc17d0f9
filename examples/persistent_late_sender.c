/* Late Sender, persistent requests: MPI_Wait waits for a message that is started too late.
 *
 * Rank 0 starts its persistent receive twice; rank 1 computes for DELAY_MS / 2 before it starts its persistent
 * send each time.
 *
 * Remedy: start sends earlier, or compute between MPI_Start and MPI_Wait on the receiver.
 *
 * Mora must find, with 2 ranks:
 *   metric:  late-sender
 *   call:    MPI_Wait
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   times:   2
 *   below:   late-sender-wrong-order 0.05
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
  if (rank == 0) {
    MPI_Recv_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  } else if (rank == 1) {
    MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  }
  for (int step = 0; step < 2; ++step) {
    if (rank == 0) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE); /* waits here */
    } else if (rank == 1) {
      compute(DELAY_MS / 2);
      MPI_Start(&request); /* late here */
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  if (rank < 2) MPI_Request_free(&request);

  MPI_Finalize();
  return 0;
}
