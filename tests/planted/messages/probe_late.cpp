// Rank 0 waits in MPI_Probe for a message of unknown size from rank 3, which is late.
#include "planted.h"

#include <vector>

constexpr int steps = 10;

static void exchange(int rank) {
  std::vector<double> values(10);
  work(5);
  if (rank == 3) work(20);
  planted_arrival();
  if (rank == 0) {
    MPI_Status status;
    int count;
    MPI_Probe(3, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    values.resize(count);
    MPI_Recv(values.data(), count, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 3) {
    MPI_Send(values.data(), 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);  // cause
  }
  MPI_Barrier(MPI_COMM_WORLD);  // cause
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) exchange(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("probe-late", "3", "exchange");
  MPI_Finalize();
  return 0;
}
