/* Communicators are made and freed in every step; often enough to cost more than processes that start 10 ms apart. */
#include "planted.h"

enum { STEPS = 30 };

static void step(int rank) {
  MPI_Comm half;
  double value = rank, sum;
  work(2);
  together();
  const double begin = now();
  for (int i = 0; i < 3; i++) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half); /* cause */
    if (i < 2) MPI_Comm_free(&half);                       /* cause */
  }
  planted_loss(now() - begin);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("comm-split", "-", "step");
  MPI_Finalize();
  return 0;
}
