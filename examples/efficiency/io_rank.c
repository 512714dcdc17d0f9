/* One process does all input and output.
 *
 * In each of STEPS steps rank 0 reads a file for READ_MS and broadcasts what it read; then everybody computes. The
 * others wait in MPI_Bcast: with 4 ranks the efficiency is (200 + 4 * 100) / (4 * 300) = 0.5.
 *
 * Remedy: read in parallel (MPI-IO), or read the next step's input while the others compute.
 *
 * Mora must find, with 4 ranks:
 *   steps: efficiency 0.35 to 0.55
 *   steps: real_synchronization 1.70 to 4.0
 *   steps: communication 1.70 to 4.0
 *   steps: real_synchronization of rank 0: 0 to 0.10
 *   kind MPI_Bcast in steps: real_synchronization 1.70 to 4.0
 *   advice: rule-6
 */
#include <mora/mora.h>
#include <mpi.h>
#include <time.h>

#include <stdio.h>

enum { STEPS = 3, READ_MS = 200, COMPUTE_MS = 100 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

static int read_input(int step) {
  MORA_REGION_BEGIN("read_input");
  FILE* file = fopen("/proc/self/stat", "r"); /* a slow file */
  int value = file != NULL && fgetc(file) != EOF ? step : -step;
  if (file != NULL) fclose(file);
  compute(READ_MS);
  MORA_REGION_END("read_input");
  return value;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  MORA_REGION_BEGIN("steps");
  for (int step = 1; step <= STEPS; ++step) {
    int value = 0;
    if (rank == 0) value = read_input(step);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    compute(COMPUTE_MS);
  }
  MORA_REGION_END("steps");

  MPI_Finalize();
  return 0;
}
