/* Steps of a halo exchange: a ring of requests, sums, a broadcast on half of the ranks; once two small sends to each
 * other. */
#include <mpi.h>
#include <stdlib.h>

enum { steps = 20, bytes = 20000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  char* buffer = calloc(4, bytes);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double sum = rank, all = 0;
  for (int i = 0; i < steps; ++i) {
    MPI_Request requests[4];
    MPI_Irecv(buffer, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffer + bytes, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(buffer + 2 * bytes, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(buffer + 3 * bytes, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&all, 1, MPI_DOUBLE, 0, half);
  }
  if (rank < 2) {
    MPI_Send(buffer, 8, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD);
    MPI_Recv(buffer, 8, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&half);
  free(buffer);
  MPI_Finalize();
  return 0;
}
