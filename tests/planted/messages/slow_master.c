/* Slow master: it takes longer to prepare a task than a worker to do it. */
#include "planted.h"

enum { STEPS = 24 };

static void master(int workers) {
  int request, task;
  MPI_Status status;
  for (int i = 0, stopped = 0; stopped < workers; i++) {
    MPI_Recv(&request, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); /* cause */
    work(8);
    task = i < STEPS ? i : -1;
    if (task < 0) stopped++;
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD); /* cause */
  }
}

static void worker(void) {
  for (int task = 0; task >= 0;) {
    const double begin = now();
    MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    planted_loss(now() - begin);
    if (task >= 0) work(4);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    master(size - 1);
  } else {
    worker();
  }
  const double begin = now();
  MPI_Barrier(MPI_COMM_WORLD);
  planted_loss(now() - begin);
  planted_print("slow-master", "0", "master");
  MPI_Finalize();
  return 0;
}
