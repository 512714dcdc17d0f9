/* A plane-wave code's communication (as MiniDFT): bands are shared out to groups of processes, each transforms in
 * columns (MPI_Alltoallv on the group's communicator, shares that differ by one), sums over groups, matrices are
 * gathered and handed out. fft -n TRANSFORMS [-s EDGE of the grid] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How many of n things the i-th of p has. */
static int share(int n, int p, int i) { return n / p + (i < n % p); }

int main(int argc, char** argv) {
  int transforms = 20, edge = 32, rank, size, option;
  while ((option = getopt(argc, argv, "n:s:")) != -1) {
    if (option == 'n') transforms = atoi(optarg);
    if (option == 's') edge = atoi(optarg);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Comm bands, across;
  MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &bands);
  MPI_Comm_split(MPI_COMM_WORLD, rank % dims[1], rank, &across);
  int me, p, group, groups;
  MPI_Comm_rank(bands, &me);
  MPI_Comm_size(bands, &p);
  MPI_Comm_rank(across, &group);
  MPI_Comm_size(across, &groups);
  int* memory = calloc((size_t)(4 * p + 2 * size), sizeof *memory);
  int *n_send = memory, *at_send = n_send + p, *n_receive = at_send + p, *at_receive = n_receive + p;
  int *n_all = at_receive + p, *at_all = n_all + size;
  int sent = 0, received = 0;
  MPI_Datatype complex; /* two doubles: contiguous */
  MPI_Type_contiguous(2, MPI_DOUBLE, &complex);
  MPI_Type_commit(&complex);
  for (int i = 0; i < p; i++) {
    n_send[i] = share(edge, p, me) * share(edge, p, i);
    n_receive[i] = share(edge, p, i) * share(edge, p, me);
    at_send[i] = sent;
    at_receive[i] = received;
    sent += n_send[i];
    received += n_receive[i];
  }
  for (int i = 0, at = 0; i < size; at += n_all[i++]) {
    n_all[i] = 1 + i % 3;
    at_all[i] = at;
  }
  double* grid = calloc((size_t)(2 * (sent + received) + 2), sizeof *grid);
  double* columns = grid + 2 * sent;
  double* matrix = calloc((size_t)(3 * size), sizeof *matrix);
  double check = 0;
  const double begin = MPI_Wtime();
  for (int t = 0; t < transforms; t++) {
    for (int i = 0; i < 2 * sent; i++) grid[i] = rank + t + i;
    MPI_Alltoallv(grid, n_send, at_send, complex, columns, n_receive, at_receive, complex, bands);
    MPI_Alltoallv(columns, n_receive, at_receive, complex, grid, n_send, at_send, complex, bands);
    double local = columns[0] + (sent ? grid[0] : 0), sum = 0;
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, across);
    MPI_Reduce(&sum, &local, 1, MPI_DOUBLE, MPI_MAX, 0, bands);
    if (t % 5 == 0) {
      double own[3] = {sum, local, t};
      MPI_Gatherv(own, n_all[rank], MPI_DOUBLE, matrix, n_all, at_all, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      MPI_Scatterv(matrix, n_all, at_all, MPI_DOUBLE, own, n_all[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
      MPI_Bcast(matrix, size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      check += own[0];
    }
    check += sum;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f check %.6f\n", MPI_Wtime() - begin, check);
  MPI_Type_free(&complex);
  MPI_Comm_free(&bands);
  MPI_Comm_free(&across);
  free(memory);
  free(grid);
  free(matrix);
  MPI_Finalize();
  return 0;
}
