/* Post, start, complete, wait: origin 3 completes its epoch late; the target waits for it, and all in the barrier. */
#include "planted.h"

enum { STEPS = 10 };

static void step(MPI_Win window, MPI_Group target, MPI_Group origins, int rank) {
  const double value = rank;
  if (rank == 0) {
    MPI_Win_post(origins, 0, window);
    work(5);
    planted_arrival();
    MPI_Win_wait(window);
  } else {
    MPI_Win_start(target, 0, window);                               /* cause */
    MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window); /* cause */
    work(5);
    if (rank == 3) work(20);
    planted_arrival();
    MPI_Win_complete(window); /* cause */
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double memory[16] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  const int root = 0;
  MPI_Group world, target, origins;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &root, &target);
  MPI_Group_excl(world, 1, &root, &origins);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(window, target, origins, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group_free(&world);
  MPI_Group_free(&target);
  MPI_Group_free(&origins);
  MPI_Win_free(&window);
  planted_print("late-complete", "3", "step");
  MPI_Finalize();
  return 0;
}
