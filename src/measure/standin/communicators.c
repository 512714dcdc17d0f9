/* Questions about communicators that are answered from the table. */
#include <stdlib.h>

#include "measure/standin/tables.h"

int standin_Comm_rank(MPI_Comm handle, int* rank) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Comm_rank(handle, rank);
  *rank = comm->rank;
  return MPI_SUCCESS;
}

int standin_Comm_size(MPI_Comm handle, int* size) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Comm_size(handle, size);
  *size = comm->size;
  return MPI_SUCCESS;
}

int standin_Comm_test_inter(MPI_Comm handle, int* flag) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Comm_test_inter(handle, flag);
  *flag = comm->remote_size > 0;
  return MPI_SUCCESS;
}

int standin_Comm_remote_size(MPI_Comm handle, int* size) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Comm_remote_size(handle, size);
  if (comm->remote_size == 0) return standin_error(handle, "MPI_Comm_remote_size", MPI_ERR_COMM);
  *size = comm->remote_size;
  return MPI_SUCCESS;
}

int standin_Comm_get_parent(MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

static int group_of(MPI_Comm handle, MPI_Group* group, int remote) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return remote ? PMPI_Comm_remote_group(handle, group) : PMPI_Comm_group(handle, group);
  if (remote && comm->remote_size == 0) return standin_error(handle, "MPI_Comm_remote_group", MPI_ERR_COMM);
  if (remote) {
    *group = standin_group_new(comm->remote, comm->remote_size);
  } else if (comm->members) {
    *group = standin_group_new(comm->members, comm->size);
  } else {
    int* members = standin_alloc((size_t)comm->size * sizeof *members);
    for (int i = 0; i < comm->size; i++) members[i] = standin_member(comm, i);
    *group = standin_group_new(members, comm->size);
    free(members);
  }
  return MPI_SUCCESS;
}

int standin_Comm_group(MPI_Comm handle, MPI_Group* group) { return group_of(handle, group, 0); }
int standin_Comm_remote_group(MPI_Comm handle, MPI_Group* group) { return group_of(handle, group, 1); }
