/* Chain of middlemen: rank 0 is slow; ranks 1, 2 and 3 wait, and pass their lateness on. */
#include "planted.h"

enum { STEPS = 10 };

static void pass_on(int rank, int size) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double value = rank;
  if (rank == 0) planted_work(20, size - 1);
  MPI_Recv(&value, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
  work(2);
  MPI_Send(&value, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) pass_on(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("middlemen", "0", "pass_on");
  MPI_Finalize();
  return 0;
}
