/* Example 2 of Kotomatas 2018 (4.4.2; T-COLL): even and odd ranks find their largest rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, local, largest;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_rank(half, &local);
  MPI_Allreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, half);
  if (local == 0) printf("Local rank %d, global rank %d. Max id in set is %d.\n", local, rank, largest);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
