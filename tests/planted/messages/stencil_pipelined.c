/* Pipelined stencil: each rank needs its left neighbour's result of the same step; rank 2 computes longer. */
#include "planted.h"

enum { STEPS = 10 };

static void sweep(int rank, int size) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double border[100] = {0};
  MPI_Recv(border, 100, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
  work(2);
  if (rank == 2) planted_work(20, size - 1);
  MPI_Send(border, 100, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) sweep(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("stencil-pipelined", "2", "sweep");
  MPI_Finalize();
  return 0;
}
