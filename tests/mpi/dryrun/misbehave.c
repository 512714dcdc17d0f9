/* Ways to end badly, by the first argument; the second is the rank that does it (default 1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, local;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* how = argc > 1 ? argv[1] : "";
  const int mine = rank == (argc > 2 ? atoi(argv[2]) : 1);
  if (mine && strcmp(how, "hang") == 0)
    for (;;) usleep(1000);
  if (mine && strcmp(how, "spin") == 0)
    for (;;) MPI_Comm_rank(MPI_COMM_WORLD, &local);
  if (mine && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (mine && strcmp(how, "exit") == 0) exit(3);
  if (mine && strcmp(how, "leave") == 0) exit(0);
  if (mine && strcmp(how, "crash") == 0) *(volatile int*)0 = 1;
  if (mine && strcmp(how, "type") == 0) MPI_Type_size(MPI_DATATYPE_NULL, &local);
  if (mine && strcmp(how, "comm") == 0) MPI_Comm_size(MPI_COMM_NULL, &local);
  if (mine && strcmp(how, "spawn") == 0)
    MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
  if (mine && strcmp(how, "skip") == 0)
    usleep(1);                                      /* does not take part in the split */
  else if (strcmp(how, "cycle") == 0 && rank < 2) { /* each waits for the other in another split */
    MPI_Comm one, other;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_split(rank == 0 ? one : other, 0, rank, &comm);
    MPI_Comm_split(rank == 0 ? other : one, 0, rank, &comm);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
  }
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &local);
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
