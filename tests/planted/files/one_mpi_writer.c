/* Serialised output with MPI: rank 0 alone calls MPI_File_write_at, the others wait in the barrier. */
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 10 };

static const char* file_name(void) {
  static char name[4000];
  const char* folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/planted", folder != NULL ? folder : "/tmp");
  return name;
}

enum { DOUBLES = 3000000 };

static void write_output(MPI_File file, int rank) {
  static double data[DOUBLES];
  work(4);
  if (rank == 0) {
    MPI_File_write_at(file, 0, data, DOUBLES, MPI_DOUBLE, MPI_STATUS_IGNORE); /* cause */
  }
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, file_name(), MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) write_output(file, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  planted_print("one-mpi-writer", "0", "write_output");
  MPI_Finalize();
  return 0;
}
