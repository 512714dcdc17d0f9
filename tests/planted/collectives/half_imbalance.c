/* The upper half of the communicator, ranks 2 and 3, has more to do; the lower half waits. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank, int size) {
  double value = rank, sum;
  work(8);
  if (rank >= size / 2) work(24);
  planted_arrival();
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("half-imbalance", "2-3", "step");
  MPI_Finalize();
  return 0;
}
