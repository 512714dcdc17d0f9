/* Wait at Init: ranks wait in MPI_Init for the last one to start.
 *
 * MPI_Init synchronises in practice. One rank reads its input for DELAY_MS before it calls MPI_Init. (The
 * launcher tells the rank's number in an environment variable: MPI cannot be asked yet.)
 *
 * Remedy: initialise MPI first; look for slow starting, such as loading libraries from a busy file server.
 *
 * Mora must find, with 4 ranks:
 *   metric:  wait-at-init
 *   call:    MPI_Init
 *   ranks:   0 1 2
 *   causes:  3
 *   seconds: 0.25 to 3.0 on each of these ranks
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { DELAY_MS = 600 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (rank != NULL && atoi(rank) == 3) {
    compute(DELAY_MS);
  }
  MPI_Init(&argc, &argv); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
