/* A grid of two rows: rank 4 computes longer before its row's reduction; the other row waits for it at the end. */
#include "planted.h"

enum { STEPS = 10 };

static void sum_row(MPI_Comm row, int rank, int size) {
  double value = rank, sum;
  work(5);
  if (rank == 4) planted_work(20, size - 1);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, row); /* cause */
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &row);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; i++) sum_row(row, rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&row);
  planted_print("row-allreduce", "4", "sum_row");
  MPI_Finalize();
  return 0;
}
