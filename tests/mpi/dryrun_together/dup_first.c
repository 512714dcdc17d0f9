/* The first duplicate of MPI_COMM_WORLD, and splits of both in turn: in a dry run their colours were once confused. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm again, made;
  int rank, sizes[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  for (int i = 0; i < 4; i++) {
    MPI_Comm_split(i % 2 ? again : MPI_COMM_WORLD, rank / (i + 1), 0, &made);
    MPI_Comm_size(made, &sizes[i]);
  }
  printf("rank %d: %d %d %d %d\n", rank, sizes[0], sizes[1], sizes[2], sizes[3]);
  MPI_Finalize();
  return 0;
}
