/* Waiting in a loop of MPI_Test: rank 2 sends late. */
#include "planted.h"

enum { STEPS = 10 };

static void exchange(int rank, int size) {
  double value = rank, other;
  MPI_Request open;
  MPI_Irecv(&other, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &open);
  work(5);
  if (rank == 2) planted_work(20, size - 1);
  MPI_Send(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD); /* cause */
  for (int done = 0; !done;) MPI_Test(&open, &done, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) exchange(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("test-loop", "2", "exchange");
  MPI_Finalize();
  return 0;
}
