/* Early Fence: a rank waits at a fence while others still access its window.
 *
 * Rank 0 is at the fence at once. Rank 1 computes for DELAY_MS, then puts into the window of rank 0 and comes to
 * the fence: this data makes rank 0 wait, not only the rule that fences synchronise.
 *
 * Remedy: transfer first and compute afterwards, or divide the computation otherwise.
 *
 * Mora must find, with 2 ranks:
 *   metric:  early-fence
 *   call:    MPI_Win_fence
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
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
  if (rank == 1) {
    compute(DELAY_MS);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* late here */
  }
  MPI_Win_fence(0, window); /* waits here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
