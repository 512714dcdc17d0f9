// Ordered output: each rank may write when those before it have; rank 1 comes late.
#include "planted.h"

#include <cstdlib>
#include <string>

constexpr int steps = 10;

static void write_in_order(MPI_File file, int rank) {
  const double value = rank;
  work(5);
  if (rank == 1) work(20);
  planted_arrival();
  MPI_File_write_ordered(file, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);  // cause
  MPI_Barrier(MPI_COMM_WORLD);                                             // cause
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* folder = std::getenv("TMPDIR");
  const std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/planted";
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) write_in_order(file, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  planted_print("ordered-write", "1", "write_in_order");
  MPI_Finalize();
  return 0;
}
