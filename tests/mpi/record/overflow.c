/* For -fsanitize=address; with an argument it writes behind a block of memory after a barrier. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  volatile char* block = malloc(16);
  block[argc > 1 ? 16 : 15] = 1;
  free((void*)block);
  MPI_Finalize();
  return 0;
}
