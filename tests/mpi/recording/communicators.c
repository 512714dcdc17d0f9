/* Four processes: identity of communicators without communication. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, dims[2] = {2, 2}, periods[2] = {1, 0}, keep[2] = {1, 0}, three[3] = {2, 0, 3};
  int zero = 0;
  MPI_Comm world = MPI_COMM_WORLD, comm, comms[300], part, grid, row, merged, inter, copy;
  MPI_Group all, group;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  for (int i = 0; i < 300; i++) MPI_Comm_dup(world, &comms[i]); /* ids 2 … 301 */
  MPI_Allreduce(&rank, &zero, 1, MPI_INT, MPI_SUM, comms[299]);
  for (int i = 0; i < 300; i++) MPI_Comm_free(&comms[i]);
  /* handle values come again, ids do not */
  MPI_Comm_split(world, rank == 3 ? MPI_UNDEFINED : 0, -rank, &part); /* {2,1,0} */
  if (part != MPI_COMM_NULL) MPI_Barrier(part);
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 3, three, &group);
  MPI_Comm_create(world, group, &comm); /* {2,0,3}: NULL on rank 1 */
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_set_name(comm, "three of four");
    MPI_Barrier(comm);
    MPI_Comm_create_group(comm, group, 17, &copy);
    MPI_Barrier(copy);
  }
  MPI_Cart_create(world, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep, &row);
  MPI_Barrier(row);
  MPI_Comm_idup(world, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_split(world, rank % 2, rank, &part);
  MPI_Intercomm_create(part, 0, world, 1 - rank % 2, 5, &inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Barrier(merged);
  MPI_Finalize();
  return 0;
}
