/* Rings and reduces until killed. After each round it stores the number of rounds in a file, so that a test knows what
 * must have been recorded. Arguments: stem of the progress files, then optionally: rounds to do, "abort". Nobody may
 * kill it: it ends after ten minutes. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size;
  alarm(600);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = argc > 2 ? atol(argv[2]) : -1;
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (ftruncate(file, 16) != 0) return 9;
  volatile long* progress = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); /* pid, rounds */
  progress[0] = getpid();
  for (long round = 0; rounds < 0 || round < rounds; round++) {
    long mine = round, other = 0;
    MPI_Sendrecv(&mine, 1, MPI_LONG, (rank + 1) % size, 3, &other, 1, MPI_LONG, (rank + size - 1) % size, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &other, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    progress[1] = round + 1;
  }
  if (argc > 3 && strcmp(argv[3], "abort") == 0 && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("all rounds done");
  MPI_Finalize();
  return 0;
}
