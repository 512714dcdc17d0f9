/* Send Waits for Progress: a large message does not move while its receiver computes.
 *
 * Rank 1 posts the receive, computes for DELAY_MS and then waits for the message. The message is so large that the
 * library sends it only when both sides are inside MPI: rank 0 is blocked in MPI_Send until rank 1 enters MPI_Wait.
 *
 * Remedy: test now and then during the computation; send in smaller pieces; let the library progress messages by itself
 * where it can (MPICH_ASYNC_PROGRESS=1).
 *
 * Mora must find, with 2 ranks:
 *   metric:  send-progress
 *   call:    MPI_Send
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200, DOUBLES = 2000000 };

static double data[DOUBLES];

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Irecv(data, DOUBLES, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD); /* the receive is posted */

  if (rank == 0) {
    compute(20);                                               /* rank 1 has left the barrier */
    MPI_Send(data, DOUBLES, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* waits here */
  } else if (rank == 1) {
    compute(DELAY_MS);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* late here */
  }

  MPI_Finalize();
  return 0;
}
