/* Calls with two vectors each, so many that some calls' first one fills a chunk of the recording buffer: 1,500 times
 * MPI_Alltoallv in place, 4 bytes to each other rank. */
#include <mpi.h>

enum { most = 16 };

int main(int argc, char** argv) {
  int ranks, rank, counts[most], starts[most];
  char out[8 * most] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < ranks; r++) counts[r] = r == rank ? 8 : 4, starts[r] = 8 * r;
  for (int i = 0; i < 1500; i++)
    MPI_Alltoallv(MPI_IN_PLACE, 0, 0, MPI_CHAR, out, counts, starts, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
