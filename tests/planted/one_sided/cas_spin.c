/* A lock made of MPI_Compare_and_swap: rank 1 keeps it long, the others try again and again. */
#include "planted.h"

enum { STEPS = 8 };

static int try_to_take(MPI_Win window) {
  const int is_free = 0, taken = 1;
  int before;
  MPI_Compare_and_swap(&taken, &is_free, &before, MPI_INT, 0, 0, window); /* cause */
  MPI_Win_flush(0, window);                                               /* cause */
  return before == is_free;
}

static void give_back(MPI_Win window) {
  const int is_free = 0;
  int before;
  MPI_Fetch_and_op(&is_free, &before, MPI_INT, 0, 0, MPI_REPLACE, window); /* cause */
  MPI_Win_flush(0, window);
}

static void update(MPI_Win window, int rank, int size) {
  work(3);
  while (rank == 1 && !try_to_take(window)) {
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 1 is the first to have it */
  if (rank == 1) {
    planted_work(22, size - 1);
  } else {
    while (!try_to_take(window)) {
    }
  }
  give_back(window);
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) update(window, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  planted_print("cas-spin", "1", "update");
  MPI_Finalize();
  return 0;
}
