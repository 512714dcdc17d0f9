/* Neighbourhood exchange on a ring: rank 3 computes longer. */
#include "planted.h"

enum { STEPS = 10 };

static void step(MPI_Comm ring, int rank, int size) {
  double mine = rank, others[2];
  work(5);
  if (rank == 3) planted_work(20, size - 1);
  MPI_Neighbor_allgather(&mine, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, ring); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm ring;
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(ring, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&ring);
  planted_print("neighbourhood", "3", "step");
  MPI_Finalize();
  return 0;
}
