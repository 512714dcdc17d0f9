/* Barriers that nobody needs between balanced work: they cost next to nothing. */
#include "planted.h"

enum { STEPS = 5 };

static void step(void) {
  work(20);
  MPI_Barrier(MPI_COMM_WORLD);
  work(20);
  MPI_Barrier(MPI_COMM_WORLD);
  work(20);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step();
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("none", "-", "-");
  MPI_Finalize();
  return 0;
}
