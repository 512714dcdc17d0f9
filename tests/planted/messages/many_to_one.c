/* Contention on one receiver: three ranks send large messages at once, rank 0 takes one after the other. */
#include "planted.h"

enum { STEPS = 8 };

enum { DOUBLES = 200000 };

static void collect(int rank, int size) {
  static double value[DOUBLES];
  work(5);
  const double begin = now();
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      MPI_Recv(value, DOUBLES, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
      work(5);
    }
    planted_loss((size - 1) * (now() - begin)); /* so long all others are kept */
  } else {
    MPI_Send(value, DOUBLES, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) collect(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("many-to-one", "0", "collect");
  MPI_Finalize();
  return 0;
}
