/* Wait at non-blocking neighbourhood: MPI_Wait waits for a neighbour that has not started.
 *
 * Four ranks form a ring. Rank 1 computes for DELAY_MS before it starts MPI_Ineighbor_allgather; its neighbours 0
 * and 2 wait, rank 3 does not.
 *
 * Remedy: start the operation as early as possible and compute between start and MPI_Wait.
 *
 * Mora must find, with 4 ranks:
 *   metric:  nonblocking-wait-at-neighborhood
 *   call:    MPI_Wait
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
  MPI_Request request;
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_Ineighbor_allgather(&value, 1, MPI_INT, received, 1, MPI_INT, ring, &request); /* late here */
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                             /* waits here */
  MPI_Comm_free(&ring);

  MPI_Finalize();
  return 0;
}
