/* A conjugate gradient solver's communication (as HPCCG): per iteration the borders of the direction vector with up to
 * 26 neighbours of a grid of processes (MPI_Irecv, MPI_Send, MPI_Wait), and two dot products.  cg -n ITERATIONS [-s
 * POINTS per edge] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int iterations = 100, points = 16, rank, size, option;
  while ((option = getopt(argc, argv, "n:s:")) != -1) {
    if (option == 'n') iterations = atoi(optarg);
    if (option == 's') points = atoi(optarg);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, dims);
  const int at[3] = {rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};
  int neighbors[26], counts[26], n = 0;
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    int to[3], inside = 1, count = 1;
    for (int d = 0; d < 3; d++) {
      to[d] = at[d] + step[d];
      inside &= to[d] >= 0 && to[d] < dims[d];
      if (step[d] == 0) count *= points;
    }
    if (!inside || k == 13) continue;
    neighbors[n] = (to[0] * dims[1] + to[1]) * dims[2] + to[2];
    counts[n++] = count;
  }
  const int face = points * points;
  double* send = calloc((size_t)face, sizeof *send);
  double* receive = calloc((size_t)face * 26, sizeof *receive);
  MPI_Request requests[26];
  double residual = 1, local = rank + 1, alpha = 0, check = 0;
  MPI_Allreduce(&local, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    for (int k = 0; k < n; k++)
      MPI_Irecv(receive + (size_t)k * (size_t)face, counts[k], MPI_DOUBLE, neighbors[k], 99, MPI_COMM_WORLD,
                &requests[k]);
    for (int p = 0; p < face; p++) send[p] = rank + i + p;
    for (int k = 0; k < n; k++) MPI_Send(send, counts[k], MPI_DOUBLE, neighbors[k], 99, MPI_COMM_WORLD);
    local = 0;
    for (int k = 0; k < n; k++) {
      MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
      local += receive[(size_t)k * (size_t)face];
    }
    MPI_Allreduce(&local, &alpha, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&alpha, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    check += residual;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f check %.6f\n", MPI_Wtime() - begin, check);
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
