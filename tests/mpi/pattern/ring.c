/* Example 1 of Kotomatas 2018 (4.4.1; T-RING): four rounds, each a phase. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 4; round++) {
    char phase[16];
    snprintf(phase, sizeof phase, "round%d", round);
    mora_phase_begin(phase);
    MPI_Request request;
    MPI_Status status;
    int in, out = rank + round;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    mora_phase_end(phase);
    printf("%d sent %d, received %d on round %d\n", rank, out, in, round);
  }
  MPI_Finalize();
  return 0;
}
