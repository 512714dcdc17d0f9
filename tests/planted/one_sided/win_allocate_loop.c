/* Windows are made and freed in every step. */
#include "planted.h"

enum { STEPS = 20 };

static void step(int rank, int size) {
  int* memory;
  MPI_Win window;
  const int value = rank;
  work(4);
  together();
  double begin = now();
  MPI_Win_allocate(8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window); /* cause */
  planted_loss(now() - begin);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  together();
  begin = now();
  MPI_Win_free(&window); /* cause */
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("win-allocate-loop", "-", "step");
  MPI_Finalize();
  return 0;
}
