/* Non-blocking collectives, mixed with messages, completed in every way. Any number of processes. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, in[64] = {0}, out[64] = {0}, counts[16], starts[16], flag = 0, index, done;
  MPI_Request r[6];
  MPI_Comm world = MPI_COMM_WORLD, half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  for (int i = 0; i < size; i++) counts[i] = i + 1, starts[i] = i ? starts[i - 1] + counts[i - 1] : 0;
  MPI_Comm_split(world, rank % 2, rank, &half);

  MPI_Ibarrier(world, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  /* one list: a collective, a receive, a send, a collective, a null request */
  MPI_Ibcast(in, 3, MPI_INT, 1, world, &r[0]);
  MPI_Irecv(in + 8, 1, MPI_INT, (rank + size - 1) % size, 5, world, &r[1]);
  MPI_Isend(out + 8, 1, MPI_INT, (rank + 1) % size, 5, world, &r[2]);
  MPI_Iallreduce(in + 16, out + 16, 2, MPI_INT, MPI_SUM, world, &r[3]);
  r[4] = MPI_REQUEST_NULL;
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  /* polled */
  MPI_Ireduce(in, out, 4, MPI_INT, MPI_SUM, 0, half, &r[0]);
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  MPI_Igatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, 0, world, &r[0]);
  MPI_Ialltoall(in + 32, 1, MPI_INT, out + 32, 1, MPI_INT, world, &r[1]);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
  MPI_Iexscan(in, out, 2, MPI_INT, MPI_SUM, world, &r[0]);
  MPI_Ialltoallv(in, counts, starts, MPI_INT, out, counts, starts, MPI_INT, MPI_COMM_SELF, &r[1]);
  for (int left = 2; left > 0; left -= done) {
    int indices[2];
    MPI_Waitsome(2, r, &done, indices, MPI_STATUSES_IGNORE);
  }
  /* freed: its completion is never seen (a barrier, so that nobody leaves early) */
  MPI_Ibarrier(world, &r[0]);
#ifdef FREE
  MPI_Request_free(&r[0]);
#else
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
#endif
  MPI_Comm_free(&half);
  MPI_Barrier(world);
  MPI_Finalize();
  return 0;
}
