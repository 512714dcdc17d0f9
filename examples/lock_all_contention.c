/* Lock_all Contention: MPI_Win_lock_all meets an exclusive lock.
 *
 * Rank 1 holds an exclusive lock on rank 0 for DELAY_MS. Rank 2 locks all targets, shared, and has to wait for
 * that one.
 *
 * Remedy: do not mix exclusive locks with MPI_Win_lock_all; use atomic operations.
 *
 * Mora must find, with 3 ranks:
 *   metric:  lock-all-contention
 *   call:    MPI_Win_lock_all
 *   openmpi-pt2pt: call = MPI_Win_flush
 *   ranks:   2
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   also:    wait-at-barrier
 */
#include <mpi.h>
#include <time.h>

enum { DELAY_MS = 200 };

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
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&token, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window); /* surely has the lock now */
    MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    compute(DELAY_MS);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window); /* late here */
  } else if (rank == 2) {
    MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock_all(0, window); /* waits here: MPI_Win_lock_all */
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(0, window); /* waits here: MPI_Win_flush */
    MPI_Win_unlock_all(window);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 serves the others here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
