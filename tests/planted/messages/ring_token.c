/* Serialised section: who has the token works, all others wait for it. */
#include "planted.h"

enum { STEPS = 10 };

static void critical_section(int rank, int size) {
  int token = 0;
  const double begin = now();
  MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
  planted_loss(now() - begin);
  work(6);
  MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD); /* cause */
  work(2);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int token = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) critical_section(rank, size);
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("ring-token", "-", "critical_section");
  MPI_Finalize();
  return 0;
}
