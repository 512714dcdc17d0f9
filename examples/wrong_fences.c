/* Wrong assertions: fences promise what does not hold, and two ranks put to the same place.
 *
 * Ranks 1 and 2 put into the same place of rank 0 in one epoch. Rank 0 promised with MPI_MODE_NOPUT that nobody
 * puts into its window, and all promise with MPI_MODE_NOPRECEDE that there was no access before the second fence.
 * Open MPI and MPICH run it as if nothing were wrong; another library may lose the data. Rank 0 comes DELAY_MS
 * late besides.
 *
 * Remedy: give assertions only that always hold; use MPI_Accumulate where several ranks write to one place.
 *
 * Mora must find, with 3 ranks:
 *   metric:  wait-at-fence
 *   call:    MPI_Win_fence
 *   ranks:   1 2
 *   causes:  0
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   checks:  noput-but-put noprecede-but-accessed conflicting-access
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
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, window);
  if (rank != 0) {
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  } else {
    compute(DELAY_MS);
  }
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window); /* waits here, late here */
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
