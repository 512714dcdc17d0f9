/* A halo exchange on a grid of processes without periodic ends, sums along its rows, a butterfly by hand, and a master
 * that collects from all in the order in which they come. The problem stays the same with any number of ranks. */
#include <mpi.h>
#include <stdlib.h>

enum { steps = 5, points = 960 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, extents[2] = {0, 0}, free_dimensions[2] = {0, 1};
  const int periodic[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, extents);
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 0, &grid);
  MPI_Cart_sub(grid, free_dimensions, &row);
  double* buffer = calloc(2 * points, sizeof(double));
  double sum = rank, all = 0;
  for (int i = 0; i < steps; ++i) {
    for (int d = 0; d < 2; ++d) {
      int before, behind;
      const int count = points / extents[1 - d];
      MPI_Cart_shift(grid, d, 1, &before, &behind);
      MPI_Sendrecv(buffer, count, MPI_DOUBLE, behind, d, buffer + points, count, MPI_DOUBLE, before, d, grid,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(buffer, count, MPI_DOUBLE, before, d + 2, buffer + points, count, MPI_DOUBLE, behind, d + 2, grid,
                   MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, row);
    for (int bit = 1; bit < ranks; bit *= 2) {
      MPI_Sendrecv(&sum, 1, MPI_DOUBLE, rank ^ bit, 9, &all, 1, MPI_DOUBLE, rank ^ bit, 9, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) {
    for (int i = 1; i < ranks; ++i) MPI_Recv(&all, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  }
  free(buffer);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
