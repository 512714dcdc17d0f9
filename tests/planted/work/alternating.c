/* Alternating imbalance: rank 0 has more to do in even steps, rank 3 in odd ones. */
#include "planted.h"

enum { STEPS = 12 };

static void step(int i, int rank) {
  double value = rank, sum;
  work(5);
  if (rank == (i % 2 == 0 ? 0 : 3)) work(20);
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
  planted_print("alternating", "0,3", "step");
  MPI_Finalize();
  return 0;
}
