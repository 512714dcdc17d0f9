/* A delay and its chain: one rank's computation makes all others wait, most of them indirectly.
 *
 * Rank 0 computes for DELAY_MS; a value goes from rank to rank. Rank 1 waits for rank 0, rank 2 for rank 1, which
 * only waited itself, and rank 3 for rank 2. All of this waiting, three times DELAY_MS, is the delay cost of one
 * computation: that of rank 0 before its MPI_Send.
 *
 * Remedy: give the other ranks a part of what rank 0 computes.
 *
 * Mora must find, with 4 ranks:
 *   metric:  late-sender
 *   call:    MPI_Recv
 *   ranks:   1 2 3
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   delays:  0 MPI_Send
 *   indirect: 2 3
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
    compute(DELAY_MS);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* late here */
  } else {
    MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits here */
    if (rank < 3) {
      MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    }
  }

  MPI_Finalize();
  return 0;
}
