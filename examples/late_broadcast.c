/* Late Broadcast: ranks wait for a broadcast whose root comes late.
 *
 * Rank 0 prepares the data for DELAY_MS; the others have long been waiting in MPI_Bcast.
 *
 * Remedy: broadcast earlier, or let the others do something useful first.
 *
 * Mora must find, with 4 ranks:
 *   metric:  late-broadcast
 *   call:    MPI_Bcast
 *   ranks:   1 2 3
 *   causes:  0
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

  int data[16] = {0};
  if (rank == 0) {
    compute(DELAY_MS);
  }
  MPI_Bcast(data, 16, MPI_INT, 0, MPI_COMM_WORLD); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
