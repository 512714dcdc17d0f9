/* Two processes: request tables. */
#include <mpi.h>
#include <stdlib.h>

enum { many = 10000 };

int main(int argc, char** argv) {
  int rank, index, flag, count, indices[4], data[16] = {0}, in[16];
  MPI_Request requests[4], *all = malloc(2 * many * sizeof *all);
  MPI_Status statuses[4];
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  const int peer = 1 - rank;

  /* 10000 receives and 10000 sends outstanding at once */
  int* numbers = calloc(2 * many, sizeof *numbers);
  for (int i = 0; i < many; i++) MPI_Irecv(&numbers[i], 1, MPI_INT, peer, i, world, &all[i]);
  for (int i = 0; i < many; i++) MPI_Isend(&numbers[many + i], 1, MPI_INT, peer, i, world, &all[many + i]);
  MPI_Waitall(2 * many, all, MPI_STATUSES_IGNORE);
  MPI_Barrier(world);

  /* nothing to complete */
  for (int i = 0; i < 4; i++) requests[i] = MPI_REQUEST_NULL;
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
  MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Testsome(4, requests, &count, indices, statuses);
  MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);

  /* not yet, then done: requests[2] is the one that completes */
  MPI_Irecv(in, 4, MPI_INT, peer, 20001, world, &requests[2]);
  MPI_Test(&requests[2], &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
  MPI_Send(data, 3, MPI_INT, peer, 20001, world);
  MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 4, MPI_INT, peer, 20002, world, &requests[3]);
  MPI_Send(data, 2, MPI_INT, peer, 20002, world);
  MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);

  /* persistent: inactive, started, completed, inactive again, started twice over */
  MPI_Recv_init(in, 4, MPI_INT, MPI_ANY_SOURCE, 20003, world, &requests[0]);
  MPI_Send_init(data, 4, MPI_INT, peer, 20003, world, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&requests[0]);
  MPI_Send(data, 1, MPI_INT, peer, 20003, world);
  MPI_Wait(&requests[0], statuses);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  /* freed while active */
  MPI_Isend(data, 1, MPI_INT, peer, 20004, world, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Recv(in, 1, MPI_INT, peer, 20004, world, MPI_STATUS_IGNORE);

  /* cancelled */
  MPI_Irecv(in, 1, MPI_INT, peer, 20005, world, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Finalize();
  free(numbers);
  free(all);
  return 0;
}
