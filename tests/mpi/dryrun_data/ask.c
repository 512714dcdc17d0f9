/* Steered by what rank 0 read and told: parameters by broadcast, shares by scatter. A dry run must do the same as a
 * real run in every rank, although only rank 0 knows. ask STEPS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, steps = 0, share = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* shares = rank == 0 ? malloc((size_t)size * sizeof *shares) : NULL;
  if (rank == 0) {
    steps = atoi(argv[1]);
    for (int i = 0; i < size; i++) shares[i] = 3 + i * i % 5;
  }
  MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(shares, 1, MPI_INT, &share, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, share, rank, &row); /* colours that only a broadcast tells */
  for (int i = 0; i < steps; i++) {
    char out[8] = {0}, in[8];
    MPI_Sendrecv(out, share < 8 ? share : 8, MPI_CHAR, (rank + 1) % size, i, in, 8, MPI_CHAR, (rank + size - 1) % size,
                 i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, row);
    for (int k = 0; k < leader % 3; k++) MPI_Barrier(row);
  }
  MPI_Comm_free(&row);
  free(shares);
  MPI_Finalize();
  return 0;
}
