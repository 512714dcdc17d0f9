/* Two processes: loops of tests and probes that find nothing, a counted number of them. */
#include <mpi.h>
#include <unistd.h>

enum { polls = 20000, apart = 5 };

int main(int argc, char** argv) {
  int rank, flag = 0, count = 0, indices[2];
  double data = 0, other[2];
  MPI_Request requests[2];
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  const int peer = 1 - rank;
  MPI_Irecv(&other[0], 1, MPI_DOUBLE, peer, 1, world, &requests[0]);
  MPI_Irecv(&other[1], 1, MPI_DOUBLE, peer, 2, world, &requests[1]);
  for (int i = 0; i < polls; i++) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < polls; i++) MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  for (int i = 0; i < polls; i++) MPI_Iprobe(peer, 3, world, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * polls; i++) { /* two places */
    if (i % 2)
      MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    else
      MPI_Testany(2, requests, &count, &flag, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < apart; i++) { /* computes between them */
    MPI_Iprobe(peer, 4, world, &flag, MPI_STATUS_IGNORE);
    usleep(20000);
  }
  MPI_Barrier(world);
  MPI_Send(&data, 1, MPI_DOUBLE, peer, 1, world);
  MPI_Send(&data, 1, MPI_DOUBLE, peer, 2, world);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
