// Two imbalances that cancel out over the run: rank 0 has more to do in the first phase, rank 3 in the second.
#include "planted.h"

constexpr int steps = 8;

static void assemble(int rank) {
  work(4);
  if (rank == 0) work(15);
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD);  // cause
}

static void solve(int rank) {
  work(4);
  if (rank == 3) work(15);
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD);  // cause
}

static void step(int rank) {
  assemble(rank);
  solve(rank);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("compensating", "0,3", "assemble,solve");
  MPI_Finalize();
  return 0;
}
