/* Waiting in a loop of MPI_Iprobe: rank 1 sends late. */
#include "planted.h"

enum { STEPS = 10 };

static void exchange(int rank) {
  double value = rank;
  work(5);
  if (rank == 1) work(20);
  planted_arrival();
  if (rank == 0) {
    for (int flag = 0; !flag;) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); /* cause */
  }
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) exchange(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("iprobe-loop", "1", "exchange");
  MPI_Finalize();
  return 0;
}
