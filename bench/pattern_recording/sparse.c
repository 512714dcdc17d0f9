/* Sparse matrix products' communication (as CoSP2): every process sends rows to a few others, which differ from step to
 * step; who gets how many is told by an MPI_Alltoall of counts, or, with -x, is found out by MPI_Issend, MPI_Iprobe and
 * MPI_Ibarrier. Rows are two blocks with a gap (not contiguous).  sparse -n STEPS [-s ROWS] [-x] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { width = 6 }; /* doubles of a row, of which 4 travel */

/* Rows that `from` sends to `to` in a step; 0 for most. Everybody could know. */
static int rows_for(int from, int to, int step, int size, int rows) {
  const int way = (to - from + size) % size;
  if (way == 0) return 0;
  if (way == 1 || way == size - 1) return rows;
  if (way == 1 + step % 7 * 3 || (from + 3 * to + step) % 11 == 0) return 1 + (from + to + step) % rows;
  return 0;
}

int main(int argc, char** argv) {
  int steps = 40, rows = 32, unannounced = 0, rank, size, option;
  while ((option = getopt(argc, argv, "n:s:x")) != -1) {
    if (option == 'n') steps = atoi(optarg);
    if (option == 's') rows = atoi(optarg);
    if (option == 'x') unannounced = 1;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype blocks, row;
  MPI_Type_vector(2, 2, 3, MPI_DOUBLE, &blocks);
  MPI_Type_create_resized(blocks, 0, width * sizeof(double), &row);
  MPI_Type_commit(&row);
  MPI_Type_free(&blocks);
  const size_t part = (size_t)rows * width;
  double* send = calloc(part * (size_t)size, sizeof *send);
  double* receive = calloc(part * (size_t)size, sizeof *receive);
  int* counts = calloc((size_t)(2 * size), sizeof *counts);
  int* expected = counts + size;
  MPI_Request* requests = calloc((size_t)(2 * size), sizeof *requests);
  double check = 0;
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    int n = 0;
    for (int to = 0; to < size; to++) counts[to] = rows_for(rank, to, step, size, rows);
    memset(receive, 0, part * (size_t)size * sizeof *receive);
    for (int to = 0; to < size; to++) send[part * (size_t)to] = rank * size + to + step;
    if (!unannounced) {
      MPI_Alltoall(counts, 1, MPI_INT, expected, 1, MPI_INT, MPI_COMM_WORLD);
      for (int from = 0; from < size; from++)
        if (expected[from] > 0)
          MPI_Irecv(receive + part * (size_t)from, expected[from], row, from, step, MPI_COMM_WORLD, &requests[n++]);
      for (int to = 0; to < size; to++)
        if (counts[to] > 0)
          MPI_Isend(send + part * (size_t)to, counts[to], row, to, step, MPI_COMM_WORLD, &requests[n++]);
      MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Request barrier = MPI_REQUEST_NULL;
      int sent = 0, done = 0;
      for (int to = 0; to < size; to++)
        if (counts[to] > 0)
          MPI_Issend(send + part * (size_t)to, counts[to], row, to, step, MPI_COMM_WORLD, &requests[n++]);
      while (!done) {
        int there;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &there, &status);
        if (there)
          MPI_Recv(receive + part * (size_t)status.MPI_SOURCE, rows, row, status.MPI_SOURCE, step, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
        if (sent) {
          MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
          MPI_Testall(n, requests, &sent, MPI_STATUSES_IGNORE);
          if (sent) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        }
      }
    }
    double local = 0, sum;
    for (int from = 0; from < size; from++) local += receive[part * (size_t)from];
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check += sum;
  }
  if (rank == 0) printf("seconds %.6f check %.6f\n", MPI_Wtime() - begin, check);
  MPI_Type_free(&row);
  free(send);
  free(receive);
  free(counts);
  free(requests);
  MPI_Finalize();
  return 0;
}
