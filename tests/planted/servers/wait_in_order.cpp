// Requests are completed in the order in which they were posted: rank 1's message comes last, and is waited for first.
#include "planted.h"

#include <array>

constexpr int steps = 6;

static void collect(int size) {
  std::array<double, 8> values;
  std::array<MPI_Request, 8> open;
  for (int r = 1; r < size; r++) MPI_Irecv(&values[r], 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &open[r]);
  const double begin = now();
  for (int r = 1; r < size; r++) {
    MPI_Wait(&open[r], MPI_STATUS_IGNORE);  // cause
    if (r == 1) planted_loss(size * (now() - begin));
    work(7);
  }
}

static void deliver(int rank, int size) {
  const double value = rank;
  const double begin = now();
  work(7 * (size - rank));
  if (rank == size - 1) planted_loss(-size * (now() - begin));  // this message could have been taken now
  MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  work(7 * rank);
}

static void step(int rank, int size) {
  if (rank == 0) {
    collect(size);
  } else {
    deliver(rank, size);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("wait-in-order", "0", "collect");
  MPI_Finalize();
  return 0;
}
