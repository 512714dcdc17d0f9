/* MPI_Waitall completes messages and a collective operation, for which rank 1 is late. */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank, int size) {
  double mine = rank, other, sum;
  MPI_Request open[3];
  MPI_Irecv(&other, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Isend(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &open[1]); /* cause */
  work(5);
  if (rank == 1) planted_work(20, size - 1);
  MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &open[2]); /* cause */
  MPI_Waitall(3, open, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("waitall-mixed", "1", "step");
  MPI_Finalize();
  return 0;
}
