/* Three processes: bytes of collectives. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, in[64] = {0}, out[64] = {0}, counts[3] = {1, 2, 3}, starts[3] = {0, 8, 16};
  int ones[3] = {1, 1, 1}, bytes[3] = {0, 32, 64};
  MPI_Datatype types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype mine[3];
  MPI_Comm world = MPI_COMM_WORLD, half, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  const int root = rank == 1;
  MPI_Barrier(world);
  MPI_Bcast(in, 5, MPI_INT, 1, world);
  MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 1, world);
  MPI_Gather(root ? MPI_IN_PLACE : in, 2, MPI_INT, out, 2, MPI_INT, 1, world);
  MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, 1, world);
  MPI_Gatherv(root ? MPI_IN_PLACE : in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, 1, world);
  MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, 1, world);
  MPI_Scatter(in, 2, MPI_INT, root ? MPI_IN_PLACE : out, 2, MPI_INT, 1, world);
  MPI_Scatterv(in, counts, starts, MPI_INT, out, counts[rank], MPI_INT, 1, world);
  MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, world);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, world);
  MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, starts, MPI_INT, world);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, starts, MPI_INT, world);
  MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, world);
  for (int i = 0; i < 3; i++) mine[i] = types[rank];
  MPI_Alltoallw(in, ones, bytes, types, out, ones, bytes, mine, world);
  int received[3];
  for (int i = 0; i < 3; i++) received[i] = counts[rank];
  MPI_Alltoallv(in, counts, starts, MPI_INT, out, received, starts, MPI_INT, world);
  MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 1, world);
  MPI_Reduce(root ? MPI_IN_PLACE : in, in, 4, MPI_INT, MPI_SUM, 1, world);
  MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, world);
  MPI_Allreduce(MPI_IN_PLACE, out, 4, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, world);
  MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, world);
  MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, world);
  /* {0} and {1, 2}: rank 1 is the root of the second group */
  MPI_Comm_split(world, rank > 0, rank, &half);
  MPI_Intercomm_create(half, 0, world, rank > 0 ? 0 : 1, 99, &inter);
  MPI_Bcast(in, 5, MPI_INT, rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
  MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, inter);
  MPI_Finalize();
  return 0;
}
