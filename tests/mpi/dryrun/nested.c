/* Rows, columns and planes of a cube of processes by nested splits, as solvers of thousands of processes make them.
 * Computes for the number of milliseconds that the first argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, side = 1, r, n;
  MPI_Comm plane, row, column, line;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while ((side + 1) * (side + 1) * (side + 1) <= size) side++;
  const double end = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 0) / 1000;
  MPI_Comm_split(MPI_COMM_WORLD, rank / (side * side), rank, &plane);
  MPI_Comm_rank(plane, &r);
  MPI_Comm_split(plane, r / side, r, &row);
  MPI_Comm_split(plane, r % side, -r, &column);
  MPI_Comm_split(MPI_COMM_WORLD, rank % (side * side), rank, &line);
  volatile double work = 0;
  while (MPI_Wtime() < end) work += 1;
  MPI_Comm_rank(plane, &r);
  MPI_Comm_size(plane, &n);
  printf("rank %d: plane %d of %d", rank, r, n);
  MPI_Comm_rank(row, &r);
  MPI_Comm_size(row, &n);
  printf(", row %d of %d", r, n);
  MPI_Comm_rank(column, &r);
  MPI_Comm_size(column, &n);
  printf(", column %d of %d", r, n);
  MPI_Comm_rank(line, &r);
  MPI_Comm_size(line, &n);
  printf(", line %d of %d\n", r, n);
  MPI_Finalize();
  return 0;
}
