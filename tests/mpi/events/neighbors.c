/* Four processes: neighbourhood collectives on all kinds of topologies. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, in[64] = {0}, out[64] = {0};
  int dims[2] = {2, 2}, periods[2] = {0, 1}, line[1] = {4}, open[1] = {0};
  MPI_Comm grid, ends, star, ring;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid); /* second dimension: the same neighbour twice */
  MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, grid);
  MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, grid);

  MPI_Cart_create(MPI_COMM_WORLD, 1, line, open, 0, &ends);
  int counts[2] = {1, 2}, starts[2] = {0, 8}, from[2] = {2, 1};
  MPI_Ineighbor_alltoallv(in, counts, starts, MPI_INT, out, from, starts, MPI_INT, ends, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  /* 0 is linked with all others */
  int index[4] = {3, 4, 5, 6}, edges[6] = {1, 2, 3, 0, 0, 0};
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &star);
  int each[3] = {4, 4, 4}, places[3] = {0, 4, 8};
  MPI_Neighbor_allgatherv(in, 4, MPI_INT, out, each, places, MPI_INT, star);

  /* sends to the next, receives from the previous: a directed graph */
  int next = (rank + 1) % 4, previous = (rank + 3) % 4, one = 3;
  MPI_Aint at = 0;
  MPI_Datatype type = MPI_INT;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &ring);
  MPI_Neighbor_alltoallw(in, &one, &at, &type, out, &one, &at, &type, ring);
  MPI_Ineighbor_allgather(in, 5, MPI_INT, out, 5, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
