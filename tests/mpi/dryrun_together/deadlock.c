/* Jobs that end badly, as the first argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size, x = 0;
  const char* how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  if (strcmp(how, "ring") == 0) {
    MPI_Recv(&x, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&x, 1, MPI_INT, before, 5, MPI_COMM_WORLD);
  } else if (strcmp(how, "ssend") == 0) {
    MPI_Ssend(&x, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
  } else if (strcmp(how, "barrier") == 0) { /* rank 1 is somewhere else */
    if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "gone") == 0) {
    if (rank != 1) MPI_Recv(&x, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "split") == 0) {
    MPI_Comm made;
    if (rank != 0) MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "any") == 0) {
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "crash") == 0) {
    if (rank == 1) *(volatile int*)NULL = 1;
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "abort") == 0) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "leave") == 0) {
    if (rank == 1) exit(0);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "mixed") == 0) {
    if (rank == 1)
      MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "spin") == 0) {
    for (;;) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &x, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
