// Balanced: borders travel while the inner part is computed; nothing to find.
#include "planted.h"

#include <array>

constexpr int steps = 8;

static void step(int rank, int size) {
  std::array<double, 4> border = {};
  std::array<MPI_Request, 4> open;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(&border[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(&border[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(&border[2], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(&border[3], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &open[3]);
  work(40);
  MPI_Waitall(4, open.data(), MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("none", "-", "-");
  MPI_Finalize();
  return 0;
}
