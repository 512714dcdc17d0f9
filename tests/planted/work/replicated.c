/* Replicated work, not marked: every rank computes the same table in every step. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank, int size) {
  double value = rank, sum;
  planted_work(20, (size - 1.0) / size); /* one rank could do it for all */
  work(5);
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
  planted_print("replicated", "-", "step");
  MPI_Finalize();
  return 0;
}
