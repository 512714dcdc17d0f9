/* Slow root: rank 0 works on what it gathered, the others wait for it in the barrier. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank) {
  double value = rank, all[16];
  work(4);
  MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* cause */
  if (rank == 0) work(20);
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("slow-root", "0", "step");
  MPI_Finalize();
  return 0;
}
