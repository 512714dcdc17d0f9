/* Early Scan: a rank waits in a prefix sum for a rank of smaller number.
 *
 * In MPI_Scan rank k needs the contributions of ranks 0 to k only. Rank 0 brings its own DELAY_MS late, and
 * all others must wait.
 *
 * Remedy: share the work evenly, above all that of the first ranks.
 *
 * Mora must find, with 4 ranks:
 *   metric:  early-scan
 *   call:    MPI_Scan
 *   ranks:   1 2 3
 *   causes:  0
 *   seconds: 0.25 to 2.0 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 400 };

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

  int mine = 1;
  int position;
  if (rank == 0) {
    compute(DELAY_MS);
  }
  MPI_Scan(&mine, &position, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* waits here, late here */

  MPI_Finalize();
  return 0;
}
