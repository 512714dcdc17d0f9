// Imbalance that shrinks: rank 1 has much more to do at first, and 3 ms less in each step than in the step before.
#include "planted.h"

constexpr int steps = 12;

static void step(int i, int rank, int size) {
  const double value = rank;
  double sum;
  work(8);
  if (rank == 1) planted_work(3 * (steps - i), size - 1);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // cause
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(i, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("shrinking", "1", "step");
  MPI_Finalize();
  return 0;
}
