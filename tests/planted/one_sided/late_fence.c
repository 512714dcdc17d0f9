/* Fence: rank 2, a target, comes late. */
#include "planted.h"

enum { STEPS = 10 };

static void step(MPI_Win window, int rank, int size) {
  const double value = rank;
  MPI_Win_fence(0, window); /* cause */
  MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % size, rank, 1, MPI_DOUBLE, window);
  work(5);
  if (rank == 2) work(20);
  planted_arrival();
  MPI_Win_fence(0, window); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double memory[16] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(window, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  planted_print("late-fence", "2", "step");
  MPI_Finalize();
  return 0;
}
