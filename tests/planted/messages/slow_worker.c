/* Slow worker: equal parts of the work, but worker 2 takes longer; the master takes the results in any order. */
#include "planted.h"

enum { STEPS = 10 };

static void round_of_work(int rank, int size) {
  double result = rank;
  MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* cause */
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    work(2);
    if (rank == 2) planted_work(20, size - 1);
    MPI_Send(&result, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); /* cause */
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) round_of_work(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("slow-worker", "2", "round_of_work");
  MPI_Finalize();
  return 0;
}
