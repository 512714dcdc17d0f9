/* Two ranks; what the other one says decides which of two requests is waited for first. An MPI_Waitany without a choice
 * stands in front. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, index, said, out[2] = {1, 2}, in[2];
  MPI_Request opening, requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++) MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i + 1, MPI_COMM_WORLD, &requests[i]);
  MPI_Irecv(&said, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &opening);
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Waitany(1, &opening, &index, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) MPI_Send(&out[i], 1, MPI_INT, 1 - rank, i + 1, MPI_COMM_WORLD);
  MPI_Wait(&requests[said], MPI_STATUS_IGNORE); /* dry: one's own rank */
  MPI_Wait(&requests[1 - said], MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
