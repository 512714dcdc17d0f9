/* Balanced: nothing to find. */
#include "planted.h"

enum { STEPS = 6 };

static void step(int rank) {
  double value = rank, sum;
  work(50);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("none", "-", "-");
  MPI_Finalize();
  return 0;
}
