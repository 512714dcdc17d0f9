#include <mpi.h>
#include <stdio.h>

void ring_step(int rank, int size);

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring_step(rank, size);
  if (rank == 0) puts("output of the program");
  MPI_Finalize();
  return argc > 1 ? 7 : 0;
}
