/* Unneeded Synchronisations: fences make all ranks wait for all, where only some exchange data.
 *
 * Each rank puts into the window of the next one only, but a fence synchronises it with all three others. Rank 3
 * comes DELAY_MS late, and rank 1 waits for it although nothing goes between them.
 *
 * Remedy: post/start/complete/wait with the neighbours.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-fence
 *   call:    MPI_Win_fence
 *   ranks:   0 1 2
 *   causes:  3
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   counts:  pairwise-synchronizations 24, pairwise-synchronizations-unneeded 16
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  int memory[4] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % 4, rank, 1, MPI_INT, window);
  if (rank == 3) {
    compute(DELAY_MS);
  }
  MPI_Win_fence(0, window); /* waits here, late here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
