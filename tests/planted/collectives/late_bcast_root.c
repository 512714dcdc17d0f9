/* Late broadcast: root 2 computes longer. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank) {
  double value = rank;
  work(5);
  if (rank == 2) work(20);
  planted_arrival();
  MPI_Bcast(&value, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD); /* cause */
  MPI_Barrier(MPI_COMM_WORLD);                         /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("late-root", "2", "step");
  MPI_Finalize();
  return 0;
}
