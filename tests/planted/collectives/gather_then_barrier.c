/* Rank 2 is late for a gather to rank 0, which a barrier follows: the others wait there, not for rank 0. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank) {
  double value = rank, all[16];
  work(3);
  if (rank == 2) work(20);
  planted_arrival();
  MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* cause */
  MPI_Barrier(MPI_COMM_WORLD);                                              /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("gather-barrier", "2", "step");
  MPI_Finalize();
  return 0;
}
