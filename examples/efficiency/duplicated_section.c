/* A sequential section that every process repeats.
 *
 * All ranks do the same SEQUENTIAL_MS of work, then their own PARALLEL_MS. One process would need
 * SEQUENTIAL_MS + n * PARALLEL_MS; n processes spend n * (SEQUENTIAL_MS + PARALLEL_MS). With n = 4:
 * (100 + 4 * 300) / (4 * 400) = 0.8125. Without the mark Mora could not know: it would say 1.
 *
 * Remedy: divide the section among the processes, or make it smaller.
 *
 * Mora must find, with 4 ranks:
 *   work: efficiency 0.70 to 0.815
 *   work: user_insufficient_parallelism 0.29 to 0.60
 *   work: time_outside_mpi 1.59 to 2.4
 *   sequential: efficiency 0.20 to 0.251
 *   advice: rule-1
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

enum { SEQUENTIAL_MS = 100, PARALLEL_MS = 300 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  MORA_REGION_BEGIN("work");
  MORA_SEQUENTIAL_BEGIN();
  compute(SEQUENTIAL_MS); /* all ranks the same */
  MORA_SEQUENTIAL_END();
  compute(PARALLEL_MS);
  MORA_REGION_END("work");

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
