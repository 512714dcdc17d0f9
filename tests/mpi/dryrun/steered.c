/* Rank 0 sends as many messages as rank 1 told it to: a dry run cannot know how many. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, n = 0, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 1) {
    n = 3;
    MPI_Send(&n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Recv(&n, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
