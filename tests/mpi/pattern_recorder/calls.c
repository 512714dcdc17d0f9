/* What the arguments say: two processes, one call after the other; pattern_recorder_test.cpp has the lines. */
#include <mpi.h>

static double a[64], b[64];

int main(int argc, char** argv) {
  int rank, flag, counts[2] = {1, 2}, displacements[2] = {0, 1}, both[2] = {2, 3};
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Comm split, none;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  /* point to point */
  MPI_Irecv(a, 7, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(b, 5, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Recv(a, 9, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(b, 2, MPI_INT, other, 1, a, 4, MPI_FLOAT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(b, 6, MPI_INT, other, 2, other, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(b, 1, MPI_CHAR, other, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(a, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Isend(b, 1, MPI_CHAR, other, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Probe(other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  do MPI_Improbe(other, 6, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Imrecv(a, 8, MPI_CHAR, &message, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  /* persistent */
  MPI_Send_init(b, 3, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(a, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  /* collective */
  MPI_Bcast(a, 3, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, b, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Gather(a, 1, MPI_DOUBLE, (void*)0, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  MPI_Scatterv(b, counts, displacements, MPI_DOUBLE, a, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allgather(a, 2, MPI_INT, b, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
  MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(a, both, displacements, MPI_INT, b, both, displacements, MPI_INT, MPI_COMM_SELF);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  /* communicators */
  MPI_Comm_split(MPI_COMM_WORLD, rank + 4, 9 - rank, &split);
  MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 1, 2, &none);
  /* one-sided and files */
  MPI_Win_create(a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(b, 2, MPI_DOUBLE, other, 0, 4, MPI_FLOAT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  /* refused: neither asked about nor defined */
  MPI_Send(b, 1, MPI_INT, 99, 1, MPI_COMM_WORLD);
  MPI_Send(b, 1, MPI_DATATYPE_NULL, other, 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
