/* Rank 0 reads what stands on standard input, before and after a split that needs auxiliary processes. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, first = 0, second = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && scanf("%d", &first) != 1) first = -1;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 0 && scanf("%d", &second) != 1) second = -1;
  printf("rank %d read %d %d; %s\n", rank, first, second, argc > 1 ? argv[1] : "no argument");
  MPI_Finalize();
  return 0;
}
