/* The root of a reduction, rank 3, comes late, and a barrier follows. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank) {
  double value = rank, sum;
  work(4);
  if (rank == 3) work(20);
  planted_arrival();
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 3, MPI_COMM_WORLD); /* cause */
  MPI_Barrier(MPI_COMM_WORLD);                                         /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("reduce-root", "3", "step");
  MPI_Finalize();
  return 0;
}
