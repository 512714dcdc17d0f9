/* Wrong order: rank 0 waits for rank 1's message, the last to come, while those of ranks 2 and 3 are there. All ranks
 * have the same amount of work. */
#include "planted.h"

enum { STEPS = 6 };

static void collect(int rank, int size) {
  double value = rank;
  const double begin = now();
  if (rank == 0) {
    for (int from = 1; from < size; from++) {
      MPI_Recv(&value, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
      if (from == 1) planted_loss(size * (now() - begin));
      work(8);
    }
    work(8);
  } else {
    work(8 * (size - rank));
    if (rank == size - 1) planted_loss(-size * (now() - begin)); /* this message could have been taken now */
    MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    work(8 * (rank + 1));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) collect(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("wrong-order", "0", "collect");
  MPI_Finalize();
  return 0;
}
