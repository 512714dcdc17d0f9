/* Serialised output: rank 0 writes, the others wait in the barrier until it has. */
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

static void write_output(int rank, int size) {
  work(4);
  if (rank == 0) {
    const double begin = now();
    FILE* file = fopen(file_name(), "w");
    if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 1000; i++) fprintf(file, "%d\n", i);
    work(20); /* a slow device */
    fclose(file);
    planted_loss((size - 1) * (now() - begin));
  }
  MPI_Barrier(MPI_COMM_WORLD); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) write_output(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("one-writer", "0", "write_output");
  MPI_Finalize();
  return 0;
}
