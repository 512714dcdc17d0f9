/* Late Sender, Wrong Order: a receive waits for a late message while another rank's is there.
 *
 * Rank 2 sends at once, rank 1 after DELAY_MS of computation; rank 0 receives from rank 1 first.
 *
 * Remedy: receive with MPI_ANY_SOURCE, or post both receives and take them as they come with MPI_Waitany.
 *
 * Mora must find, with 3 ranks:
 *   metric:  late-sender-wrong-order-different-source
 *   call:    MPI_Recv
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

  int value = rank;
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
    MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    if (rank == 1) {
      compute(DELAY_MS);
    }
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* late here */
  }

  MPI_Finalize();
  return 0;
}
