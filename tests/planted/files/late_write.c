/* Collective write: rank 3 comes late. */
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

static void write_all(MPI_File file, int rank) {
  const double value = rank;
  work(5);
  if (rank == 3) work(20);
  planted_arrival();
  MPI_File_write_at_all(file, (MPI_Offset)(rank * sizeof value), &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE); /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, file_name(), MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) write_all(file, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  planted_print("late-write", "3", "write_all");
  MPI_Finalize();
  return 0;
}
