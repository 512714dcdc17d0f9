/* One process starts late.
 *
 * Rank 0 reads its input for LATE_MS while the others already compute; all meet in a barrier. In the interval the
 * others wait LATE_MS in MPI_Barrier each: with 4 ranks the efficiency is 4 * 200 / (4 * 500) = 0.4. The cause lies
 * before the interval, not in it.
 *
 * Remedy: let rank 0 read while the others do something that does not need it, or let all of them read.
 *
 * Mora must find, with 4 ranks:
 *   work: efficiency 0.28 to 0.45
 *   work: real_synchronization 0.80 to 2.0
 *   work: potential_synchronization 0.80 to 2.0
 *   work: potential_synchronization of rank 0: 0 to 0.10
 *   work: start_delay of rank 0: 0.25 to 1.0
 *   work: idle_time of rank 0: 0.20 to 0.60
 *   work: load_imbalance 0 to 0.40
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

enum { LATE_MS = 300, WORK_MS = 200 };

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

  if (rank == 0) compute(LATE_MS);
  MORA_REGION_BEGIN("work");
  compute(WORK_MS);
  MPI_Barrier(MPI_COMM_WORLD);
  MORA_REGION_END("work");

  MPI_Finalize();
  return 0;
}
