/* Molecular dynamics' communication (as CoMD): atoms go to the six neighbours of a periodic grid of processes, one
 * dimension after the other, by MPI_Sendrecv of bytes; every tenth step the sums of energies.  halo -n STEPS [-s BYTES]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int steps = 100, bytes = 4096, rank, size, option;
  while ((option = getopt(argc, argv, "n:s:")) != -1) {
    if (option == 'n') steps = atoi(optarg);
    if (option == 's') bytes = atoi(optarg);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1};
  MPI_Comm grid;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  char* send = calloc((size_t)bytes + 1, 1);
  char* receive = calloc((size_t)bytes + 1, 1);
  int parameters[4] = {steps, bytes, 0, 0};
  MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double energy = rank, sum = 0, peak = 0;
  for (int step = 0; step < steps; step++) {
    for (int d = 0; d < 3; d++) {
      int lower, upper;
      MPI_Status status;
      MPI_Cart_shift(grid, d, 1, &lower, &upper);
      /* As many as left this side: less than the room for them. */
      const int n = bytes - (rank + step + d) % 7 * (bytes / 16), m = bytes - (rank + 2 * step + d) % 5 * (bytes / 16);
      memset(send, rank + d, (size_t)n);
      MPI_Sendrecv(send, n, MPI_BYTE, lower, 2 * d, receive, bytes, MPI_BYTE, upper, 2 * d, grid, &status);
      energy += receive[0];
      MPI_Sendrecv(send, m, MPI_BYTE, upper, 2 * d + 1, receive, bytes, MPI_BYTE, lower, 2 * d + 1, grid, &status);
      energy += receive[0];
    }
    if (step % 10 == 0) {
      double own[2] = {energy, step}, all[2];
      MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(&own[0], &peak, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      sum += all[0];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f check %.6f\n", MPI_Wtime() - begin, sum + peak);
  free(send);
  free(receive);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
