// A server that takes requests with MPI_Waitany and works on each, while the clients wait for its answers.
#include "planted.h"

#include <array>

constexpr int steps = 10;

static void serve(int clients) {
  std::array<double, 8> values;
  std::array<MPI_Request, 8> open;
  for (int c = 0; c < clients; c++) MPI_Irecv(&values[c], 1, MPI_DOUBLE, c + 1, 0, MPI_COMM_WORLD, &open[c]);
  for (int c = 0; c < clients; c++) {
    int which;
    MPI_Waitany(clients, open.data(), &which, MPI_STATUS_IGNORE);  // cause
    work(6);
    MPI_Send(&values[which], 1, MPI_DOUBLE, which + 1, 1, MPI_COMM_WORLD);  // cause
  }
}

static void ask(int rank) {
  double value = rank;
  work(4);
  const double begin = now();
  MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  planted_loss(now() - begin);
}

static void step(int rank, int size) {
  if (rank == 0) {
    serve(size - 1);
  } else {
    ask(rank);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("waitany-server", "0", "serve");
  MPI_Finalize();
  return 0;
}
