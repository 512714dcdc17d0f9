/* Rank 3 computes after the last communication; the others wait in MPI_Finalize. */
#include "planted.h"

int main(int argc, char** argv) {
  int rank, size;
  double value = 0, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; i++) {
    work(5);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cause */
  }
  if (rank == 3) {
    planted_work(200, size - 1);
    planted_print_alone("late-finalize", "3", "main");
  }
  MPI_Finalize(); /* cause */
  return 0;
}
