/* Too small messages: thousands of single numbers, to and fro, where one message would do. What they cost without a
 * recorder, which is the loss, is measured beside the recorded ones, by the same calls under the names that no recorder
 * sees; sent synchronously, or the cost would be another in each run: how far senders are ahead. */
#include "planted.h"

enum { STEPS = 20 };

enum { MESSAGES = 2000 };

static void exchange(int rank) {
  double value = rank;
  together();
  for (int i = 0; i < MESSAGES; i++) {
    if (rank % 2 == i % 2) {
      MPI_Ssend(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD); /* cause */
    } else {
      MPI_Recv(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void exchange_unrecorded(int rank) {
  double value = rank;
  together();
  const double begin = now();
  for (int i = 0; i < MESSAGES; i++) {
    if (rank % 2 == i % 2) {
      PMPI_Ssend(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
    } else {
      PMPI_Recv(&value, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) {
    work(5);
    exchange_unrecorded(rank);
    exchange(rank);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("small-messages", "-", "exchange");
  MPI_Finalize();
  return 0;
}
