/* Non-blocking reduction without progress: rank 2 starts it in time, and computes before it enters MPI again; no other
 * rank gets its result before that. */
#include "planted.h"

enum { STEPS = 10 };

static void reduce(int rank) {
  double mine = rank, sum;
  MPI_Request open;
  work(5);
  MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &open);
  if (rank == 2)
    planted_work(20, 3); /* not all meet in the wait: who has its result goes on while others lack theirs */
  MPI_Wait(&open, MPI_STATUS_IGNORE); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) reduce(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("iallreduce-no-progress", "2", "reduce");
  MPI_Finalize();
  return 0;
}
