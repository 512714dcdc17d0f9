/* What the recording must complain of: a message that nobody receives, crossing phases, a phase that only one rank
 * enters. For two ranks. */
#include <mora/mora.h>
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, out = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mora_phase_begin("a");
  mora_phase_begin("b");
  if (rank == 0) MPI_Bsend(&out, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(&out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); /* eager: never received */
  mora_phase_end("a");
  mora_phase_end("b");
  if (rank == 1) mora_phase_begin("lonely");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) mora_phase_end("lonely");
  MPI_Finalize();
  return 0;
}
