/* A solver's shape: a five-point stencil on a block of a grid of processes, halo exchange, a sum each step; row and
 * column communicators by MPI_Comm_split with -x.  stencil -n STEPS -s SIDE [-x]. Each rank prints the CPU seconds of
 * its own computing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  int steps = 100, side = 1000, splits = 0, rank, size, option;
  while ((option = getopt(argc, argv, "n:s:x")) != -1) {
    if (option == 'n') steps = atoi(optarg);
    if (option == 's') side = atoi(optarg);
    if (option == 'x') splits = 1;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[2] = {0, 0}, periods[2] = {1, 1}, coords[2], around[4];
  MPI_Comm grid, row = MPI_COMM_NULL, column = MPI_COMM_NULL;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, coords);
  if (splits) {
    MPI_Comm_split(grid, coords[0], coords[1], &row);
    MPI_Comm_split(grid, coords[1], coords[0], &column);
  }
  MPI_Cart_shift(grid, 0, 1, &around[0], &around[1]);
  MPI_Cart_shift(grid, 1, 1, &around[2], &around[3]);
  const size_t wide = (size_t)side + 2;
  double *old = calloc(wide * wide, sizeof *old), *now = calloc(wide * wide, sizeof *now), *swap;
  for (size_t i = 0; i < wide * wide; i++) old[i] = (double)(i % 97);
  MPI_Datatype line;
  MPI_Type_vector(side, 1, (int)wide, MPI_DOUBLE, &line);
  MPI_Type_commit(&line);
  double own = 0, sum = 0;
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[8];
    MPI_Irecv(old + 1, side, MPI_DOUBLE, around[0], 0, grid, &requests[0]);
    MPI_Irecv(old + (wide - 1) * wide + 1, side, MPI_DOUBLE, around[1], 1, grid, &requests[1]);
    MPI_Irecv(old + wide, 1, line, around[2], 2, grid, &requests[2]);
    MPI_Irecv(old + 2 * wide - 1, 1, line, around[3], 3, grid, &requests[3]);
    MPI_Isend(old + (wide - 2) * wide + 1, side, MPI_DOUBLE, around[1], 0, grid, &requests[4]);
    MPI_Isend(old + wide + 1, side, MPI_DOUBLE, around[0], 1, grid, &requests[5]);
    MPI_Isend(old + 2 * wide - 2, 1, line, around[3], 2, grid, &requests[6]);
    MPI_Isend(old + wide + 1, 1, line, around[2], 3, grid, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    const double begin = cpu();
    double part = 0;
    for (size_t y = 1; y <= (size_t)side; y++)
      for (size_t x = 1; x <= (size_t)side; x++) {
        const size_t at = y * wide + x;
        now[at] = 0.25 * (old[at - 1] + old[at + 1] + old[at - wide] + old[at + wide]);
        part += now[at] * now[at];
      }
    swap = old;
    old = now;
    now = swap;
    own += cpu() - begin;
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    if (splits) MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, step % 2 ? row : column);
  }
  printf("rank %d own %.6f sum %g\n", rank, own, sum);
  MPI_Finalize();
  return 0;
}
