// Imbalance that shrinks: rank 1 has much more to do at first, and 3 ms less in each step than in the step before.
#include "planted.h"

constexpr int steps = 12;

static void step(int i, int rank) {
  const double value = rank;
  double sum;
  work(8);
  if (rank == 1) work(3 * (steps - i));
  planted_arrival();
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // cause
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(i, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("shrinking", "1", "step");
  MPI_Finalize();
  return 0;
}
