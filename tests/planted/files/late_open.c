/* MPI_File_open: rank 2 comes late. */
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 6 };

static const char* file_name(void) {
  static char name[4000];
  const char* folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/planted", folder != NULL ? folder : "/tmp");
  return name;
}

static void open_and_close(int rank) {
  MPI_File file;
  work(5);
  if (rank == 2) work(40);
  planted_arrival();
  MPI_File_open(MPI_COMM_WORLD, file_name(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file); /* cause */
  MPI_File_close(&file);                                                                               /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) open_and_close(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("late-open", "2", "open_and_close");
  MPI_Finalize();
  return 0;
}
