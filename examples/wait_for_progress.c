/* Wait for Progress: a lock or an access waits until its target enters MPI.
 *
 * Rank 1 puts data into the window of rank 0 under a lock, while rank 0 computes for DELAY_MS outside MPI. Where
 * the MPI library serves accesses only when it is called, rank 1 waits for rank 0, though nobody else holds the
 * lock: MPICH in MPI_Win_lock, Open MPI with osc=pt2pt in MPI_Win_unlock. Open MPI's default serves locks and puts
 * without the target.
 *
 * Remedy: asynchronous progress (MPICH_ASYNC_PROGRESS=1), windows from MPI_Win_allocate, calls of MPI_Iprobe
 * during the computation.
 *
 * Mora must find, with 2 ranks:
 *   metric:  wait-for-progress
 *   call:    MPI_Win_lock
 *   openmpi: nothing
 *   openmpi-pt2pt: call = MPI_Win_unlock
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

  if (rank == 0) {
    compute(DELAY_MS);
  } else if (rank == 1) {
    compute(DELAY_MS / 4);                          /* rank 0 has left MPI by now */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* waits here: MPI_Win_lock */
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window); /* waits here: MPI_Win_unlock */
  }
  MPI_Barrier(MPI_COMM_WORLD); /* late here */
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
