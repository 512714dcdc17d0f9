/* Non-blocking calls that overlap nothing.
 *
 * Each pair exchanges with MPI_Isend and MPI_Irecv and waits at once; odd ranks come LATE_MS later, so even ranks spend that time in
 * MPI_Waitall although they have COMPUTE_MS of work that does not need the message. Overlap is 0. In the second interval the work stands between the
 * start and the wait, and hides it.
 *
 * Remedy: as in the second interval: start, compute, wait.
 *
 * Mora must find, with 4 ranks:
 *   interval#1: overlap 0 to 0.05
 *   interval#1: unhidden 0.55 to 1.6
 *   interval#1: unhidden of rank 0: 0.25 to 0.8
 *   interval#2: overlap of rank 0: 0.25 to 0.8
 *   interval#2: unhidden of rank 0: 0 to 0.15
 *   advice: no-overlap
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

enum { LATE_MS = 300, COMPUTE_MS = 300 };

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
  if (rank % 2 == 1) compute(LATE_MS);
  start(partner, values, requests);
  MPI_Waitall(2, requests, statuses);
  compute(COMPUTE_MS);
  MORA_INTERVAL_END(1);

  MPI_Barrier(MPI_COMM_WORLD); /* start together */
  MORA_INTERVAL_BEGIN(2);
  if (rank % 2 == 1) compute(LATE_MS);
  start(partner, values, requests);
  compute(COMPUTE_MS);
  MPI_Waitall(2, requests, statuses);
  MORA_INTERVAL_END(2);

  MPI_Finalize();
  return 0;
}
