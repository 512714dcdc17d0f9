/* Rank 1 keeps the lock of rank 0's window longer than the others would; they wait for it. */
#include "planted.h"

enum { STEPS = 10 };

static void update(MPI_Win window, int rank, int size) {
  const double value = rank;
  work(4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* cause */
    MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
    MPI_Win_flush(0, window); /* cause: surely has the lock now */
    work(1);
    planted_work(20, size - 1);
    MPI_Win_unlock(0, window); /* cause */
  } else if (rank > 1) {
    work(1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 serves the others here */
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
  for (int i = 0; i < STEPS; i++) update(window, rank, size);
  MPI_Win_free(&window);
  planted_print("late-unlock", "1", "update");
  MPI_Finalize();
  return 0;
}
