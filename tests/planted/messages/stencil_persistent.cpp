// Stencil with persistent requests: rank 2 computes longer.
#include "planted.h"

#include <array>

constexpr int steps = 10;

static void step(std::array<MPI_Request, 4>& open, int rank, int size) {
  work(5);
  if (rank == 2) planted_work(20, size - 1);
  MPI_Startall(4, open.data());                      // cause
  MPI_Waitall(4, open.data(), MPI_STATUSES_IGNORE);  // cause
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine = 0, others[2];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  std::array<MPI_Request, 4> open;
  MPI_Recv_init(&others[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Recv_init(&others[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &open[1]);
  MPI_Send_init(&mine, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &open[2]);
  MPI_Send_init(&mine, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(open, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (MPI_Request& request : open) MPI_Request_free(&request);
  planted_print("stencil-persistent", "2", "step");
  MPI_Finalize();
  return 0;
}
