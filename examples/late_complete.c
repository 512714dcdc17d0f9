/* Late Complete: a target waits although all accesses are over.
 *
 * Rank 1 puts, and computes for DELAY_MS before it completes its access epoch. Rank 0 waits in MPI_Win_wait for a
 * completion that could have been there long before.
 *
 * Remedy: call MPI_Win_complete directly after the last access.
 *
 * Mora must find, with 2 ranks:
 *   metric:  late-complete
 *   call:    MPI_Win_wait
 *   ranks:   0
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
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
    MPI_Win_post(partner, 0, window);
    MPI_Win_wait(window); /* waits here */
  } else if (rank == 1) {
    MPI_Win_start(partner, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    compute(DELAY_MS);
    MPI_Win_complete(window); /* late here */
  }

  MPI_Group_free(&partner);
  MPI_Group_free(&world);
  MPI_Win_free(&window);

  MPI_Finalize();
  return 0;
}
