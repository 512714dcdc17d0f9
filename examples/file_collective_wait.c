/* File Management Wait: ranks wait in MPI_File_open for the last one to enter.
 *
 * Rank 1 computes for DELAY_MS before it opens the file; all ranks of the communicator open it together. The same
 * happens in MPI_File_close, set_size, set_view and preallocate.
 *
 * Remedy: open files early and once; close them where the ranks synchronise anyway.
 *
 * Mora must find, with 3 ranks:
 *   metric:  file-collective-wait
 *   call:    MPI_File_open
 *   ranks:   0 2
 *   causes:  1
 *   seconds: 0.1 to 1.5 on each of these ranks
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
  if (rank == 1) {
    compute(DELAY_MS);
  }
  MPI_File_open(MPI_COMM_WORLD, name, /* waits here, late here */
                MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_close(&file);

  MPI_Finalize();
  return 0;
}
