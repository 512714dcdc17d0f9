/* Stencil with immediate messages: rank 1 computes longer; the waiting spreads by one neighbour per step. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank, int size) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  static double border[4][100];
  MPI_Request open[4];
  work(5);
  if (rank == 1) planted_work(20, size - 1);
  MPI_Irecv(border[0], 100, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]); /* cause */
  MPI_Irecv(border[1], 100, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(border[2], 100, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[2]);  /* cause */
  MPI_Isend(border[3], 100, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]); /* cause */
  MPI_Waitall(4, open, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("stencil-immediate", "1", "step");
  MPI_Finalize();
  return 0;
}
