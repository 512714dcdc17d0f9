/* Rank 1 polls for a message that rank 0 sends late, by MPI_Iprobe and MPI_Test, with rank 0 sleeping before each. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, flag = 0, value = 7;
  long polls = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 0; i < 2; i++) {
      usleep(30000);
      MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    MPI_Request request;
    for (; !flag; polls++) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag; polls++) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    printf("%ld\n", polls);
  }
  MPI_Finalize();
  return 0;
}
