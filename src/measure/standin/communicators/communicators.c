/* Questions about communicators that are answered from the table. */
#include <stdlib.h>

#include "measure/standin/communicators/tables.h"

int standin_Comm_rank(struct standin_comm* comm, int* rank) {
  *rank = comm->rank;
  return MPI_SUCCESS;
}

int standin_Comm_size(struct standin_comm* comm, int* size) {
  *size = comm->size;
  return MPI_SUCCESS;
}

int standin_Comm_test_inter(struct standin_comm* comm, int* flag) {
  *flag = comm->remote_size > 0;
  return MPI_SUCCESS;
}

int standin_Comm_remote_size(struct standin_comm* comm, int* size) {
  if (comm->remote_size == 0) return standin_error(comm, MPI_ERR_COMM);
  *size = comm->remote_size;
  return MPI_SUCCESS;
}

int standin_Comm_get_parent(MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int standin_Comm_group(struct standin_comm* comm, MPI_Group* group) {
  int* members = standin_comm_members(comm);
  *group = standin_group_new(members, comm->size);
  free(members);
  return MPI_SUCCESS;
}

int standin_Comm_remote_group(struct standin_comm* comm, MPI_Group* group) {
  if (comm->remote_size == 0) return standin_error(comm, MPI_ERR_COMM);
  *group = standin_group_new(comm->remote, comm->remote_size);
  return MPI_SUCCESS;
}

/* 0 equal, 1 the same in another order, 2 different. */
static int compare_lists(const int* a, int n, const int* b, int m) {
  if (n != m) return 2;
  int same = 1;
  char* seen = standin_alloc((size_t)standin_world_size);
  for (int i = 0; i < n; i++) seen[a[i]] = 0, seen[b[i]] = 0;
  for (int i = 0; i < n; i++) seen[a[i]] = 1;
  int all = 1;
  for (int i = 0; i < n; i++) same &= a[i] == b[i], all &= seen[b[i]];
  free(seen);
  return same ? 0 : all ? 1 : 2;
}

int standin_Comm_compare(MPI_Comm first, MPI_Comm second, int* result) {
  const struct standin_comm* a = standin_comm_of(first);
  const struct standin_comm* b = standin_comm_of(second);
  if (!a || !b) return PMPI_Comm_compare(first, second, result);
  if (a == b) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  int difference = 2;
  if ((a->remote_size > 0) == (b->remote_size > 0)) {
    int *mine = standin_comm_members(a), *theirs = standin_comm_members(b);
    difference = compare_lists(mine, a->size, theirs, b->size);
    free(mine);
    free(theirs);
    if (a->remote_size > 0) {
      const int remote = compare_lists(a->remote, a->remote_size, b->remote, b->remote_size);
      if (remote > difference) difference = remote;
    }
  }
  *result = difference == 0 ? MPI_CONGRUENT : difference == 1 ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}
