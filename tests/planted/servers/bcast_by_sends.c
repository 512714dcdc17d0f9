/* Distribution by messages: rank 0 sends 8 MiB to each of the others, one after the other. */
#include "planted.h"

enum { STEPS = 10, DOUBLES = 1 << 20 };

static void distribute(int rank, int size) {
  static double values[DOUBLES];
  work(5);
  together();
  const double begin = now();
  if (rank == 0) {
    for (int r = 1; r < size; r++) MPI_Send(values, DOUBLES, MPI_DOUBLE, r, 0, MPI_COMM_WORLD); /* cause */
  } else {
    MPI_Recv(values, DOUBLES, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) distribute(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("bcast-by-sends", "0", "distribute");
  MPI_Finalize();
  return 0;
}
