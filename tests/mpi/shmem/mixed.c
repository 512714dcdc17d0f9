/* OpenSHMEM and MPI in one program. Arguments: who begins (mpi, shmem), milliseconds of a delay. PE 1 is late for
 * shmem_barrier_all, rank 0 for MPI_Barrier. */
#include <mpi.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

int main(int argc, char** argv) {
  const double delay = atof(argv[2]);
  if (strcmp(argv[1], "mpi") == 0) MPI_Init(&argc, &argv);
  shmem_init(); /* initialises MPI, if that has not been done */
  const int me = shmem_my_pe();
  if (me == 1) work(delay);
  TIMED(barrier_all, shmem_barrier_all());
  if (me == 0) work(delay);
  TIMED(mpi, MPI_Barrier(MPI_COMM_WORLD));
  tell(me);
  shmem_finalize(); /* finalises MPI, too */
  return 0;
}
