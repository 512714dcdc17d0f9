/* Late receiver: rank 3 computes longer before it receives a message that is too large to be sent without it. */
#include "planted.h"

enum { STEPS = 10 };

enum { DOUBLES = 500000 };

static void exchange(int rank, int size) {
  static double value[DOUBLES];
  work(5);
  if (rank == 3) planted_work(20, size - 1);
  if (rank % 2 == 0) {
    MPI_Send(value, DOUBLES, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(value, DOUBLES, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) exchange(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("late-receiver", "3", "exchange");
  MPI_Finalize();
  return 0;
}
