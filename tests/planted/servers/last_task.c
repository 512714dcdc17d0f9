/* Tasks are given out one by one, but the largest comes last: who gets it works while all others have nothing to do. */
#include "planted.h"

enum { TASKS = 25 };

static void master(int workers) {
  double request;
  MPI_Status status;
  for (int i = 0, stopped = 0; stopped < workers; i++) {
    const double begin = now();
    MPI_Recv(&request, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    if (i >= TASKS) planted_loss(now() - begin);
    int task = i < TASKS ? i : -1;
    if (task < 0) stopped++;
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
}

/* Returns whether this worker has had the last task. */
static int worker(void) {
  int had_last = 0;
  for (int task = 0; task >= 0;) {
    double request = 0;
    MPI_Send(&request, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);              /* cause */
    MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* cause */
    if (task >= 0) work(3);
    if (task == TASKS - 1) {
      work(150);
      had_last = 1;
    }
  }
  return had_last;
}

int main(int argc, char** argv) {
  int rank, size, last = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    master(size - 1);
  } else if (worker()) {
    last = rank;
  }
  planted_arrival();
  MPI_Barrier(MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const char name[2] = {(char)('0' + last), 0};
  planted_print("last-task", name, "worker");
  MPI_Finalize();
  return 0;
}
