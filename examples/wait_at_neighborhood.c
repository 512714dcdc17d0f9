/* Wait at Neighbourhood: a rank waits in a neighbourhood collective for its last neighbour.
 *
 * Four ranks form a ring. Rank 1 computes for DELAY_MS before MPI_Neighbor_allgather; its neighbours 0 and 2 wait,
 * rank 3 does not.
 *
 * Remedy: balance the work between neighbours; MPI_Ineighbor_allgather, with computation before MPI_Wait.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-neighborhood
 *   call:    MPI_Neighbor_allgather
 *   ranks:   0 2
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

  MPI_Comm ring;
  int size = 4, periodic = 1, value = rank, received[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_Neighbor_allgather(&value, 1, MPI_INT, received, 1, MPI_INT, ring); /* waits here, late here */
  MPI_Comm_free(&ring);

  MPI_Finalize();
  return 0;
}
