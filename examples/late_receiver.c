/* Late Receiver: a send waits because the receiver is not ready.
 *
 * The message is too large to be buffered, so MPI_Send cannot return before the receive is posted. Odd ranks
 * post it DELAY_MS late.
 *
 * Remedy: post the receive before computing (MPI_Irecv), or send with MPI_Isend and wait later.
 *
 * Mora must find, with 4 ranks:
 *   metric:  late-receiver
 *   call:    MPI_Send
 *   ranks:   0 2
 *   causes:  1 3
 *   seconds: 0.25 to 2.0 on each of these ranks
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { DELAY_MS = 400, MESSAGE_BYTES = 8 << 20 };

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

  char* message = calloc(1, MESSAGE_BYTES);
  if (rank % 2 == 0) {
    MPI_Send(message, MESSAGE_BYTES, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD); /* waits here */
  } else {
    compute(DELAY_MS);
    MPI_Recv(message, MESSAGE_BYTES, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* late here */
  }
  free(message);

  MPI_Finalize();
  return 0;
}
