/* Two slow ranks: rank 3 has 20 ms more to do in each step, rank 1 has 12. The others wait for rank 3; so does rank 1.
 */
#include "planted.h"

enum { STEPS = 10 };

static void step(int rank) {
  double value = rank, sum;
  work(rank == 3 ? 25 : rank == 1 ? 17 : 5);
  planted_arrival();
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("two-slow", "3", "step");
  MPI_Finalize();
  return 0;
}
