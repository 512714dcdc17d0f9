/* Atomic Retry: a rank tries again and again to take a lock that is made of atomic operations.
 *
 * A word in the window of rank 0 is a lock: 0 is free, 1 is taken. Rank 1 takes it and computes for DELAY_MS. Rank
 * 2 repeats MPI_Compare_and_swap all this time.
 *
 * Remedy: wait between attempts; a queue lock (MCS), in which each rank spins on memory of its own; compute first
 * and lock then.
 *
 * Mora must find, with 3 ranks:
 *   metric:  atomic-retry
 *   call:    MPI_Compare_and_swap
 *   ranks:   2
 *   seconds: 0.0001 to 1.5 on each of these ranks
 *   counts:  atomic-retries >3
 *   also:    wait-at-barrier atomic-retry-sync
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

static void take(MPI_Win window) {
  const int free = 0, taken = 1;
  int was;
  do {
    MPI_Compare_and_swap(&taken, &free, &was, MPI_INT, 0, 0, window); /* waits here */
    MPI_Win_flush(0, window);
  } while (was != free);
}

static void give(MPI_Win window) {
  const int free = 0;
  int was;
  MPI_Fetch_and_op(&free, &was, MPI_INT, 0, 0, MPI_REPLACE, window);
  MPI_Win_flush(0, window);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  int memory[4] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);

  MPI_Win_lock_all(0, window);
  int token = 0;
  if (rank == 1) {
    take(window);
    MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    compute(DELAY_MS);
    give(window);
  } else if (rank == 2) {
    MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(window);
    give(window);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 serves the others here */
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
