// Every fourth step rank 0 saves the state, which takes 60 ms; the others wait in the exchange that follows.
#include "planted.h"

constexpr int steps = 16;

static void save() { work(60); }

static void step(int i, int rank, int size) {
  double value = rank, other;
  work(6);
  if (rank == 0 && i % 4 == 3) save();
  planted_arrival();
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, &other, 1, MPI_DOUBLE,  // cause
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     // cause
  MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) step(i, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("checkpoint", "0", "step,save");
  MPI_Finalize();
  return 0;
}
