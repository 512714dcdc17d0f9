// clang-format off
// (a mark stands on the line of its call)
/* The call sites of a shared library. */
#include <mpi.h>

void ring_step(int rank, int size) {
  int value = rank, other = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 1, &other, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site:MPI_Sendrecv */
  MPI_Barrier(MPI_COMM_WORLD); /* site:MPI_Barrier */
}
