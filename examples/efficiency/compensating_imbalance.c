/* Two imbalances that compensate one another.
 *
 * In the first interval odd ranks compute three times as long as even ones, in the second it is the other way round,
 * and nothing is exchanged in between: each interval has an efficiency of (2 * 100 + 2 * 300) / (4 * 300) = 0.667, both
 * together have 1.
 *
 * Remedy: none is needed, as long as nobody puts a barrier between the two.
 *
 * Mora must find, with 4 ranks:
 *   interval#1: efficiency 0.55 to 0.70
 *   interval#1: idle_time 0.30 to 0.60
 *   interval#2: efficiency 0.55 to 0.70
 *   interval#2: load_imbalance 0.30 to 0.60
 *   both: efficiency 0.85 to 1
 *   both: load_imbalance 0 to 0.25
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

enum { SHORT_MS = 100, LONG_MS = 300 };

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

  MORA_REGION_BEGIN("both");
  MORA_INTERVAL_BEGIN(1);
  compute(rank % 2 == 0 ? SHORT_MS : LONG_MS);
  MORA_INTERVAL_END(1);
  MORA_INTERVAL_BEGIN(2);
  compute(rank % 2 == 0 ? LONG_MS : SHORT_MS);
  MORA_INTERVAL_END(2);
  MORA_REGION_END("both");

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
