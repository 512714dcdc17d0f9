/* Rank 1 calls MPI_Init late: it reads its input first. */
#include <stdlib.h>

#include "planted.h"

/* Before MPI_Init the launcher's environment tells the rank. */
static int rank_of_launcher(void) {
  const char* openmpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* mpich = getenv("PMI_RANK");
  return atoi(openmpi != NULL ? openmpi : mpich != NULL ? mpich : "0");
}

int main(int argc, char** argv) {
  double value = 0, sum;
  if (rank_of_launcher() == 1) planted_work(300, 3);
  MPI_Init(&argc, &argv); /* cause */
  for (int i = 0; i < 10; i++) {
    work(5);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  planted_print("late-init", "1", "main");
  MPI_Finalize();
  return 0;
}
