/* Wait at N x N, in MPI_Alltoallv: all ranks wait for the last one.
 *
 * Rank 2 computes for DELAY_MS; the others cannot finish MPI_Alltoallv without its data.
 *
 * Remedy: share the work evenly; MPI_Ialltoallv, with computation before MPI_Wait.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-nxn
 *   call:    MPI_Alltoallv
 *   ranks:   0 1 3
 *   causes:  2
 *   seconds: 0.1 to 1.5 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200, MOST_RANKS = 1024 };

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

  static int counts[MOST_RANKS], places[MOST_RANKS], sent[MOST_RANKS], received[MOST_RANKS];
  for (int i = 0; i < MOST_RANKS; ++i) {
    counts[i] = 1;
    places[i] = i;
    sent[i] = rank;
  }
  if (rank == 2) {
    compute(DELAY_MS);
  }
  MPI_Alltoallv(sent, counts, places, MPI_INT, received, /* waits here, late here */
                counts, places, MPI_INT, MPI_COMM_WORLD);

  MPI_Finalize();
  return 0;
}
