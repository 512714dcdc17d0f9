/* Bound by communication: large all-to-all exchanges, little computation. */
#include "planted.h"

enum { STEPS = 25 };

enum { DOUBLES = 400000, RANKS = 2 };
static double mine[RANKS * DOUBLES], others[RANKS * DOUBLES];

static void transpose(void) {
  work(3);
  together();
  const double begin = now();
  MPI_Alltoall(mine, DOUBLES, MPI_DOUBLE, others, DOUBLES, MPI_DOUBLE, MPI_COMM_WORLD); /* cause */
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) transpose();
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("alltoall-bound", "-", "transpose");
  MPI_Finalize();
  return 0;
}
