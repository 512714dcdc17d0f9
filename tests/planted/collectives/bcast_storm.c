/* Broadcast storm: thousands of broadcasts of one number, each from another root than the last. What they cost without
 * a recorder, which is the loss, is measured beside the recorded ones, by the same calls under the name that no
 * recorder sees. */
#include "planted.h"

enum { STEPS = 20 };

enum { BROADCASTS = 2000 };

static void distribute(void) {
  int value = 0;
  together();
  for (int i = 0; i < BROADCASTS; i++) MPI_Bcast(&value, 1, MPI_INT, i % 2, MPI_COMM_WORLD); /* cause */
}

static void distribute_unrecorded(void) {
  int value = 0;
  together();
  const double begin = now();
  for (int i = 0; i < BROADCASTS; i++) PMPI_Bcast(&value, 1, MPI_INT, i % 2, MPI_COMM_WORLD);
  planted_loss(now() - begin);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) {
    work(3);
    distribute_unrecorded();
    distribute();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("bcast-storm", "-", "distribute");
  MPI_Finalize();
  return 0;
}
