/* Late Sender, Wrong Order: a receive waits for a late message while an earlier one of the same rank is there.
 *
 * Rank 1 sends tag 1, computes for DELAY_MS, and sends tag 2; rank 0 receives tag 2 first.
 *
 * Remedy: receive in the order of sending.
 *
 * Mora must find, with 2 ranks:
 *   metric:  late-sender-wrong-order-same-source
 *   call:    MPI_Recv
 *   ranks:   0
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
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
    MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    compute(DELAY_MS);
    MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); /* late here */
  }

  MPI_Finalize();
  return 0;
}
