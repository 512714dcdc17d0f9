/* Persistent collectives (MPI-4): started alone and together with messages. Two processes. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, in[16] = {0}, out[16] = {0}, dims[1] = {2}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Request r[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Bcast_init(in, 3, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Neighbor_alltoall_init(in, 1, MPI_INT, out, 1, MPI_INT, ring, MPI_INFO_NULL, &r[2]);
  MPI_Send_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[3]);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Startall(3, r + 1);
    MPI_Waitall(3, r + 1, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
  MPI_Finalize();
  return 0;
}
