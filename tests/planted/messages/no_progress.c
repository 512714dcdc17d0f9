/* Rendezvous without progress: large messages are started before the computation, but go when it is over. */
#include "planted.h"

enum { STEPS = 8 };

enum { DOUBLES = 2000000 };
static double mine[DOUBLES], other[DOUBLES];

static void step(int rank, int size) {
  MPI_Request open[2];
  MPI_Irecv(other, DOUBLES, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &open[0]);       /* cause */
  MPI_Isend(mine, DOUBLES, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &open[1]); /* cause */
  work(20);
  const double begin = now();
  MPI_Waitall(2, open, MPI_STATUSES_IGNORE); /* cause */
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("no-progress", "-", "step");
  MPI_Finalize();
  return 0;
}
