/* Late Post: an origin waits for a target that exposes its window too late.
 *
 * Rank 0 computes for DELAY_MS before it posts; rank 1 has started its access epoch and has nothing else to do.
 * Open MPI and MPICH wait in MPI_Win_start; Open MPI's one-sided communication over messages (osc=pt2pt) waits in
 * MPI_Win_complete.
 *
 * Remedy: post before the computation, if the computation does not need the window.
 *
 * Mora must find, with 2 ranks:
 *   metric:  late-post
 *   call:    MPI_Win_start
 *   openmpi-pt2pt: call = MPI_Win_complete
 *   ranks:   1
 *   causes:  0
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   also:    early-wait
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
  MPI_Group world, partner;
  int other = rank == 0; /* further ranks only make the window */
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &partner);

  if (rank == 0) {
    compute(DELAY_MS);
    MPI_Win_post(partner, 0, window); /* late here */
    MPI_Win_wait(window);
  } else if (rank == 1) {
    MPI_Win_start(partner, 0, window); /* waits here: MPI_Win_start */
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_complete(window); /* waits here: MPI_Win_complete */
  }

  MPI_Group_free(&partner);
  MPI_Group_free(&world);
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
