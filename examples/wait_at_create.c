/* Wait at Create: ranks wait for the last one to create a window.
 *
 * MPI_Win_create is collective: the window exists when every rank has brought its memory. Rank 2 comes
 * DELAY_MS late.
 *
 * Remedy: create windows once, where the ranks are in step anyway.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-create
 *   call:    MPI_Win_create
 *   ranks:   0 1 3
 *   causes:  2
 *   seconds: 0.25 to 2.0 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 400, BYTES = 64 };

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

  char memory[BYTES] = {0};
  MPI_Win window;
  if (rank == 2) {
    compute(DELAY_MS);
  }
  MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* waits here, late here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
