/* Late Sender: a receive waits because its message is sent too late.
 *
 * Odd ranks compute for DELAY_MS before they send. Even ranks have nothing to do meanwhile and wait in
 * MPI_Recv.
 *
 * Remedy: send as soon as the data exist, or give the receiver work to do (MPI_Irecv early, MPI_Wait late).
 *
 * Mora must find, with 4 ranks:
 *   metric:  late-sender
 *   call:    MPI_Recv
 *   ranks:   0 2
 *   causes:  1 3
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

  int value = rank;
  if (rank % 2 == 1) {
    compute(DELAY_MS);
    MPI_Send(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD); /* late here */
  } else {
    MPI_Recv(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
  }

  MPI_Finalize();
  return 0;
}
