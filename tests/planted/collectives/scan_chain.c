/* Scan: rank 2 of 4 is late; the one behind it waits in the scan, those before it in the barrier. (With eight ranks
 * that wait busily on four processors that costs more than the late rank.) */
#include "planted.h"

enum { STEPS = 8 };

static void step(int rank) {
  double value = rank, sum;
  work(4);
  if (rank == 2) work(20);
  planted_arrival();
  MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* cause */
  MPI_Barrier(MPI_COMM_WORLD);                                    /* cause */
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) step(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  planted_print("scan-chain", "2", "step");
  MPI_Finalize();
  return 0;
}
