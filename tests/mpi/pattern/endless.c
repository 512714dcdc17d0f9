/* Exchanges 1000 messages and then waits to be killed, for ten minutes; with "die" rank 1 kills itself. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, in;
  alarm(600);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 1000; i++)
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
  if (argc > 1 && rank == 1) raise(SIGKILL);
  for (;;) pause();
}
