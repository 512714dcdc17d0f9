// Rank 4 of 6 computes longer before MPI_Allreduce.
#include "planted.h"

constexpr int steps = 10;

struct Solver {
  int rank, size;
  void iterate() const {
    const double value = rank;
    double sum;
    work(5);
    if (rank == 4) planted_work(20, size - 1);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // cause
  }
};

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) Solver{rank, size}.iterate();
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("allreduce-late", "4", "iterate");
  MPI_Finalize();
  return 0;
}
