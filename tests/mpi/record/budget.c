/* budget ROUNDS [together]: in each round each rank sends itself 20 messages, rank 0 40, and one to its right
 * neighbour; together: a barrier after every fifth round, for which rank 0 is 200 us late. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size, given = 1, got;

static void compute(double seconds) {
  const double until = MPI_Wtime() + seconds;
  while (MPI_Wtime() < until) {
  }
}

static void exchange(int to, int from) {
  MPI_Sendrecv(&given, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = atol(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < rounds; i++) {
    for (int k = 0; k < (rank == 0 ? 40 : 20); k++) exchange(rank, rank);
    exchange((rank + 1) % size, (rank + size - 1) % size);
    if (argc > 2 && i % 5 == 4) {
      if (rank == 0) compute(200e-6);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
