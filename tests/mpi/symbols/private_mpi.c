/* A module that brings its own MPI in, as Python's do: dlopen, not visible to others. */
#include <mpi.h>

int sum_of_three(void) {
  int initialized = 1;
  int one = 3;
  int sum = -1;
  MPI_Initialized(&initialized);
  if (initialized || MPI_Init(0, 0) != MPI_SUCCESS) return -1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Send(&one, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  return MPI_Finalize() == MPI_SUCCESS ? sum : -1;
}
