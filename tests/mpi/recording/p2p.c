/* Two processes: every way of sending and receiving that a recorder may get wrong. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, flag = 0;
  double data[64] = {0}, other[64] = {0};
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  MPI_Datatype holes;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &holes); /* size 48, extent 80 */
  MPI_Type_commit(&holes);
  const int peer = 1 - rank;

  /* sizes and wildcards; the message is shorter than the buffer; no status */
  if (rank == 0) {
    MPI_Send(data, 2, holes, peer, 7, world);
    MPI_Ssend(data, 0, MPI_INT, peer, 8, world);
  } else {
    MPI_Recv(data, 64, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Recv(data, 1, MPI_INT, 0, 8, world, &status);
  }
  /* nobody there */
  MPI_Send(data, 5, MPI_INT, MPI_PROC_NULL, 1, world);
  MPI_Recv(data, 5, MPI_INT, MPI_PROC_NULL, 1, world, MPI_STATUS_IGNORE);
  MPI_Isend(data, 5, MPI_INT, MPI_PROC_NULL, 1, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(data, 5, MPI_INT, MPI_PROC_NULL, 1, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* exchange */
  MPI_Sendrecv(data, 3, MPI_INT, peer, 20 + rank, other, 9, MPI_INT, peer, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(data, 4, MPI_CHAR, rank == 0 ? peer : MPI_PROC_NULL, 30, rank == 0 ? MPI_PROC_NULL : peer, 30,
                       world, &status);
  /* to itself */
  MPI_Irecv(other, 4, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &request);
  MPI_Send(data, 4, MPI_DOUBLE, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  /* matched probes */
  if (rank == 0) {
    MPI_Send(data, 6, MPI_INT, peer, 40, world);
    MPI_Send(data, 7, MPI_INT, peer, 41, world);
  } else {
    MPI_Mprobe(MPI_ANY_SOURCE, 40, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 6, MPI_INT, &message, MPI_STATUS_IGNORE);
    while (!flag) MPI_Improbe(0, 41, world, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(data, 9, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 5, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 6, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&holes);
  MPI_Finalize();
  return 0;
}
