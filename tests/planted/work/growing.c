/* Imbalance that grows: rank 2 has 3 ms more to do in each step than in the step before. */
#include "planted.h"

enum { STEPS = 12 };

static void step(int i, int rank) {
  double value = rank, sum;
  work(8);
  if (rank == 2) work(3 * i);
  planted_arrival();
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(i, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("growing", "2", "step");
  MPI_Finalize();
  return 0;
}
