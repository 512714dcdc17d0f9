/* I/O Collective Wait: ranks wait in a collective write for the last one to enter.
 *
 * Rank 1 computes for DELAY_MS before MPI_File_write_at_all; the others wait for its data, which collective writes
 * put together.
 *
 * Remedy: balance the work before collective writes; MPI_File_iwrite_at_all; write independently where pieces are
 * large.
 *
 * Mora must find, with 3 ranks:
 *   metric:  io-collective-wait
 *   call:    MPI_File_write_at_all
 *   ranks:   0 2
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
 *   also:    file-collective-wait
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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

  const char* folder = getenv("TMPDIR");
  char name[1000];
  snprintf(name, sizeof name, "%s/mora-example-file", folder != NULL ? folder : "/tmp");
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, /* waits here, late here */
                        1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);

  MPI_Finalize();
  return 0;
}
