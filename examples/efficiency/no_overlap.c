/* Non-blocking calls that overlap nothing.
 *
 * All ranks have 2 * WORK_MS to compute; odd ranks do half of it before they start the exchange, even ranks start at
 * once and wait at once, although their work does not need the message. So even ranks spend WORK_MS in MPI_Waitall,
 * overlap is 0, and odd ranks wait as long for them in the barrier: 3 * WORK_MS instead of 2. In the second interval
 * the work stands between start and wait, and nobody waits.
 *
 * Remedy: as in the second interval: start, compute, wait.
 *
 * Mora must find, with 4 ranks:
 *   interval#1: overlap 0 to 0.05
 *   interval#1: efficiency 0.50 to 0.70
 *   interval#1: load_imbalance 0 to 0.30
 *   interval#1: unhidden 0.45 to 1.4
 *   interval#1: unhidden of rank 0: 0.20 to 0.70
 *   interval#2: overlap of rank 0: 0.45 to 1.2
 *   interval#2: unhidden of rank 0: 0 to 0.15
 *   interval#2: efficiency 0.75 to 1
 *   advice: rule-7
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

enum { WORK_MS = 300 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

static void start(int partner, int values[2], MPI_Request requests[2]) {
  MPI_Irecv(&values[0], 1, MPI_INT, partner, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&values[1], 1, MPI_INT, partner, 0, MPI_COMM_WORLD, &requests[1]);
}

int main(int argc, char** argv) {
  int rank, values[2] = {0, 1};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int partner = rank ^ 1;

  MPI_Barrier(MPI_COMM_WORLD); /* start together */
  MORA_INTERVAL_BEGIN(1);
  if (rank % 2 == 1) compute(WORK_MS);
  start(partner, values, requests);
  MPI_Waitall(2, requests, statuses);
  compute(rank % 2 == 1 ? WORK_MS : 2 * WORK_MS);
  MPI_Barrier(MPI_COMM_WORLD);
  MORA_INTERVAL_END(1);

  MORA_INTERVAL_BEGIN(2);
  if (rank % 2 == 1) compute(WORK_MS);
  start(partner, values, requests);
  compute(rank % 2 == 1 ? WORK_MS : 2 * WORK_MS);
  MPI_Waitall(2, requests, statuses);
  MPI_Barrier(MPI_COMM_WORLD);
  MORA_INTERVAL_END(2);

  MPI_Finalize();
  return 0;
}
