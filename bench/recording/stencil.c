/* A stencil code's communication without its computation: borders to both neighbours every step, a residual every
 * tenth. For bytes per event on disk: stencil STEPS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size;
  static double border[4][128];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size, steps = argc > 1 ? atoi(argv[1]) : 1000;
  for (int step = 0; step < steps; step++) {
    MPI_Request open[4];
    MPI_Status done[4];
    MPI_Irecv(border[0], 128, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
    MPI_Irecv(border[1], 128, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &open[1]);
    MPI_Isend(border[2], 128, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &open[2]);
    MPI_Isend(border[3], 128, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]);
    MPI_Waitall(4, open, done);
    if (step % 10 == 0) {
      double residual = step, sum;
      MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
