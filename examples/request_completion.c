/* Request Completion: MPI_Wait for a request-based access waits until its target enters MPI.
 *
 * Rank 1 has locked the window of rank 0, starts an MPI_Rget_accumulate and waits for it, while rank 0 computes
 * for DELAY_MS outside MPI. Where the MPI library serves accesses only when it is called, MPI_Wait waits for rank
 * 0. Open MPI waits in the call that starts the access already.
 *
 * Remedy: compute between MPI_Rget and MPI_Wait; asynchronous progress, windows from MPI_Win_allocate.
 *
 * Mora must find, with 2 ranks:
 *   metric:  request-completion
 *   call:    MPI_Wait
 *   openmpi: metric = wait-for-progress-comm, call = MPI_Rget_accumulate
 *   ranks:   1
 *   causes:  0
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   also:    wait-at-barrier
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 260 };

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

  int memory[4] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);

  int token = 0;
  if (rank == 0) {
    MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(DELAY_MS);
  } else if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&token, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window); /* surely has the lock now */
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    compute(DELAY_MS / 4); /* rank 0 has left MPI by now */
    int result = 0;
    MPI_Request request;
    MPI_Rget_accumulate(&rank, 1, MPI_INT, &result, /* waits here: MPI_Rget_accumulate */
                        1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* waits here: MPI_Wait */
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* late here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
