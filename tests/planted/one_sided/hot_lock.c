/* Hot lock: all ranks want the window of rank 0 for themselves, again and again. */
#include "planted.h"

enum { STEPS = 8 };

static void update(MPI_Win window, int rank) {
  const double value = rank;
  const double begin = now();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* cause */
  MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
  MPI_Win_flush(0, window); /* cause: surely has the lock now */
  planted_loss(now() - begin);
  work(6);
  MPI_Win_unlock(0, window); /* cause */
  work(1);
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
  for (int i = 0; i < STEPS; i++) update(window, rank);
  const double begin = now();
  MPI_Barrier(MPI_COMM_WORLD); /* some ranks had the lock less often at the end */
  planted_loss(now() - begin);
  MPI_Win_free(&window);
  planted_print("hot-lock", "0", "update");
  MPI_Finalize();
  return 0;
}
