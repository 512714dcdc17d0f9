// Three ranks; rank 1 computes longer before MPI_Alltoallv.
#include "planted.h"

#include <vector>

constexpr int steps = 10;

template <typename T>
void exchange(const std::vector<T>& mine, std::vector<T>& others, int rank, int size) {
  const std::vector<int> counts(size, 1);
  std::vector<int> places(size);
  for (int i = 0; i < size; i++) places[i] = i;
  work(5);
  if (rank == 1) work(25);
  planted_arrival();
  MPI_Alltoallv(mine.data(), counts.data(), places.data(), MPI_DOUBLE, others.data(), counts.data(), places.data(),
                MPI_DOUBLE, MPI_COMM_WORLD);  // cause
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<double> mine(size), others(size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) exchange(mine, others, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("alltoallv-late", "1", "exchange");
  MPI_Finalize();
  return 0;
}
