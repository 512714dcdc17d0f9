/* Waits and tests for any request of a list that has one: it is found, it is not, it is none. */
#include <mpi.h>

static void begin(int tag, MPI_Request* request) {
  static int in[4];
  MPI_Irecv(&in[tag], 1, MPI_INT, 0, tag, MPI_COMM_SELF, request);
}

int main(int argc, char** argv) {
  MPI_Request request;
  int index, flag, out = 7;
  MPI_Init(&argc, &argv);
  begin(1, &request);
  MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
  if (flag) return 1;
  MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  if (index != MPI_UNDEFINED) return 2;
  begin(2, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  do MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
  if (!flag || index != MPI_UNDEFINED) return 3;
  begin(3, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
