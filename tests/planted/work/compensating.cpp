// Two imbalances that cancel out over the run: rank 0 has more to do in the first phase, rank 3 in the second.
#include "planted.h"

constexpr int steps = 8;

static void assemble(int rank, int size) {
  work(4);
  if (rank == 0) planted_work(15, size - 1);
  MPI_Barrier(MPI_COMM_WORLD);  // cause
}

static void solve(int rank, int size) {
  work(4);
  if (rank == 3) planted_work(15, size - 1);
  MPI_Barrier(MPI_COMM_WORLD);  // cause
}

static void step(int rank, int size) {
  assemble(rank, size);
  solve(rank, size);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("compensating", "0,3", "assemble,solve");
  MPI_Finalize();
  return 0;
}
