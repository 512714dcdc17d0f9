/* Two processes: non-blocking collectives, one-sided calls with requests, lock_all. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, in[8] = {0}, out[8] = {0}, counts[2] = {1, 2}, starts[2] = {0, 2};
  long window[8] = {0}, value = 1, result, compare = 0;
  MPI_Request requests[4];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Iallreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(in, 3, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Igatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Iexscan(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_create(window, sizeof window, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Rput(&value, 1, MPI_LONG, 1 - rank, rank, 1, MPI_LONG, win, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Fetch_and_op(&value, &result, MPI_LONG, 1 - rank, 4, MPI_SUM, win);
  MPI_Compare_and_swap(&value, &compare, &result, MPI_LONG, 1 - rank, 5, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
