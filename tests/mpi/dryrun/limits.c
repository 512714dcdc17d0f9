/* Limits of what a dry run knows: argv[1] broadcasts from rank 0, argv[2] messages from rank 0 to each other rank, 100
 * attributes of MPI_COMM_SELF. Each rank prints how many arrived as they were sent, before the first that did not, and
 * how many attributes the end deleted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int deleted;

static int delete (MPI_Comm comm, int key, void* value, void* state) {
  if ((long)value == 99 - deleted) deleted++; /* in reverse order */
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const int broadcasts = atoi(argv[1]), messages = atoi(argv[2]);
  int rank, size, known = 0, received = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < broadcasts; i++) {
    int value = rank == 0 ? i + 1 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (known == i && value == i + 1) known++;
  }
  for (int to = 1; to < size && rank == 0; to++)
    for (int i = 1; i <= messages; i++) MPI_Send(&i, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  for (int i = 0; i < messages && rank > 0; i++) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (received == i && value == i + 1) received++;
  }
  for (long i = 0; i < 100; i++) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, (void*)i);
  }
  MPI_Finalize();
  printf("%d: %d broadcasts, %d messages, %d attributes\n", rank, known, received, deleted);
  return 0;
}
