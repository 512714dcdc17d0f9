// Rank 2 starts the non-blocking reduction late; the others wait for its completion.
#include "planted.h"

constexpr int steps = 10;

static void step(int rank) {
  const double value = rank;
  double sum;
  MPI_Request open;
  work(4);
  if (rank == 2) work(20);
  planted_arrival();
  MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &open);  // cause
  work(3);
  MPI_Wait(&open, MPI_STATUS_IGNORE);  // cause
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("iallreduce-late", "2", "step");
  MPI_Finalize();
  return 0;
}
