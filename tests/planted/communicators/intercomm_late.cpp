// Two groups over an inter-communicator: the root of the broadcast, rank 1 of the first group, computes longer.
#include "planted.h"

constexpr int steps = 10;

static void couple(MPI_Comm both, int rank) {
  double value = rank;
  work(5);
  if (rank == 1) work(20);
  planted_arrival();
  MPI_Bcast(&value, 1, MPI_DOUBLE, rank >= 3 ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, both);  // cause
  MPI_Barrier(MPI_COMM_WORLD);                                                                   // cause
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm group, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < 3 ? 3 : 0, 0, &both);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < steps; i++) couple(both, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  planted_print("intercomm-late", "1", "couple");
  MPI_Finalize();
  return 0;
}
