/* One overloaded rank, and what becomes of it: the same cause shows as different wait states at different ranks.
 *
 * A solver on four ranks in a row: each step computes, exchanges borders with the neighbours and adds up a residual.
 * Rank 2 has three times the work. Its neighbours 1 and 3 wait for its border in MPI_Waitall; rank 0 has its border
 * early and waits for all of them in MPI_Allreduce.
 *
 * Remedy: give rank 2 less to do. Nothing is wrong with the communication.
 *
 * Mora must find, with 4 ranks:
 *   metric:  late-sender
 *   call:    MPI_Waitall
 *   ranks:   1 3
 *   causes:  2
 *   seconds: 0.30 to 3.0 on each of these ranks
 *   times:   15
 *   also:    wait-at-nxn nxn-completion
 */
#include <mpi.h>
#include <time.h>

enum { WORK_MS = 20, OVERLOAD_MS = 40, STEPS = 15, BORDER = 100 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

static void exchange_borders(double border[4][BORDER], int left, int right) {
  MPI_Request open[4];
  MPI_Status done[4];
  MPI_Irecv(border[0], BORDER, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(border[1], BORDER, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(border[2], BORDER, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[2]);  /* late here */
  MPI_Isend(border[3], BORDER, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]); /* late here */
  MPI_Waitall(4, open, done);                                                   /* waits here */
}

int main(int argc, char** argv) {
  int rank, size;
  static double border[4][BORDER];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

  for (int step = 0; step < STEPS; step++) {
    compute(rank == 2 ? WORK_MS + OVERLOAD_MS : WORK_MS);
    exchange_borders(border, left, right);
    double residual = 1.0 / (step + 1), sum;
    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  MPI_Finalize();
  return 0;
}
