/* Groups: handles are groups of one process of the real library; who is meant stands here. */
#include <stdlib.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/tables.h"

struct group {
  int n;
  int members[];
};

static struct mora_map by_handle; /* handle → address */
static MPI_Group own_group;       /* the real group of this process */

static struct group* group_of(MPI_Group handle) {
  const uint64_t key = MORA_KEY(handle);
  const struct mora_map_slot* slot = key ? mora_map_find(&by_handle, key) : NULL;
  return slot ? (struct group*)(uintptr_t)slot->value : NULL;
}

const int* standin_group_members(MPI_Group handle, int* n) {
  const struct group* group = group_of(handle);
  *n = group ? group->n : 0;
  return group ? group->members : NULL;
}

MPI_Group standin_group_new(const int* world_ranks, int n) {
  if (n == 0) return MPI_GROUP_EMPTY;
  static int has_own_group;
  if (!has_own_group) {
    PMPI_Comm_group(MPI_COMM_SELF, &own_group);
    has_own_group = 1;
  }
  MPI_Group handle;
  const int itself = 0;
  if (PMPI_Group_incl(own_group, 1, &itself, &handle) != MPI_SUCCESS) standin_stop("the MPI library gives no group");
  struct group* group = standin_alloc(sizeof *group + (size_t)n * sizeof *group->members);
  group->n = n;
  for (int i = 0; i < n; i++) group->members[i] = world_ranks[i];
  if (!mora_map_set(&by_handle, MORA_KEY(handle), (uint64_t)(uintptr_t)group)) standin_stop("no memory");
  return handle;
}

int standin_Group_free(MPI_Group* handle) {
  if (*handle == MPI_GROUP_EMPTY) {
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
  }
  struct group* group = group_of(*handle);
  if (group) {
    mora_map_remove(&by_handle, MORA_KEY(*handle));
    free(group);
  }
  return PMPI_Group_free(handle);
}

int standin_Group_size(MPI_Group handle, int* size) {
  const struct group* group = group_of(handle);
  if (!group) return PMPI_Group_size(handle, size);
  *size = group->n;
  return MPI_SUCCESS;
}

int standin_Group_rank(MPI_Group handle, int* rank) {
  const struct group* group = group_of(handle);
  if (!group) return PMPI_Group_rank(handle, rank);
  *rank = MPI_UNDEFINED;
  for (int i = 0; i < group->n; i++)
    if (group->members[i] == standin_world_rank) *rank = i;
  return MPI_SUCCESS;
}
