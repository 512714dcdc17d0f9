/* Late sender: rank 1 computes longer before it sends to rank 0; the other pair is balanced. */
#include "planted.h"

enum { STEPS = 10 };

static void exchange(int rank, int size) {
  double value = rank;
  work(5);
  if (rank == 1) planted_work(20, size - 1);
  if (rank % 2 == 1) {
    MPI_Send(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD); /* cause */
  } else {
    MPI_Recv(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) exchange(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("late-sender", "1", "exchange");
  MPI_Finalize();
  return 0;
}
