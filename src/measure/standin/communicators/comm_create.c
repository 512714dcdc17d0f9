/* Communicators whose members every member knows: duplicates, MPI_Comm_create of an intra-communicator,
 * MPI_Comm_create_group; and their end. */
#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/meeting.h"
#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/registry.h"

/* The real duplicate runs the attributes' copy callbacks. */
static int enter_duplicate(struct standin_comm* from, MPI_Comm made) {
  const uint64_t identity = standin_hash(standin_creation_key(from), 1);
  struct standin_comm* comm = standin_comm_add(made, identity, standin_list_copy(from->members, from->size), from->size,
                                               standin_list_copy(from->remote, from->remote_size), from->remote_size);
  comm->rank = from->rank;
  standin_topology_copy(comm, from);
  return MPI_SUCCESS;
}

int standin_Comm_dup(struct standin_comm* from, MPI_Comm* made) {
  const int rc = PMPI_Comm_dup(from->handle, made);
  return rc == MPI_SUCCESS ? enter_duplicate(from, *made) : rc;
}

int standin_Comm_dup_with_info(struct standin_comm* from, MPI_Info info, MPI_Comm* made) {
  const int rc = PMPI_Comm_dup_with_info(from->handle, info, made);
  return rc == MPI_SUCCESS ? enter_duplicate(from, *made) : rc;
}

static int contains(const int* list, int n, int rank) {
  for (int i = 0; i < n; i++)
    if (list[i] == rank) return 1;
  return 0;
}

/* All of `list` are in the communicator's own group. */
static int is_subset(const struct standin_comm* comm, const int* list, int n) {
  char* in = standin_alloc((size_t)standin_world_size);
  memset(in, 0, (size_t)standin_world_size);
  for (int i = 0; i < comm->size; i++) in[standin_member(comm, i)] = 1;
  int all = 1;
  for (int i = 0; i < n; i++) all &= in[list[i]];
  free(in);
  return all;
}

/* Each side's processes that are in the group that their side gave. A side gives nothing if all its groups are empty.
 */
static int create_inter(struct standin_comm* comm, const int* list, int n, uint64_t key, MPI_Comm* made) {
  standin_publish(key, list, n);
  if (!contains(list, n, standin_world_rank)) return MPI_SUCCESS;
  standin_call_for(key, comm->remote, comm->remote_size);
  const struct standin_contribution* other = NULL;
  for (int i = 0; i < comm->remote_size && (!other || other->n == 0); i++)
    other = standin_published(key, comm->remote[i]);
  if (!other || other->n == 0) return MPI_SUCCESS;
  *made = standin_comm_make(comm, standin_hash(key, 2), standin_list_copy(list, n), n,
                            standin_list_copy(other->words, (int)other->n), (int)other->n)
              ->handle;
  return MPI_SUCCESS;
}

int standin_Comm_create(struct standin_comm* comm, MPI_Group group, MPI_Comm* made) {
  int n;
  const int* list = standin_group_members(group, &n);
  if (group == MPI_GROUP_NULL || !is_subset(comm, list, n)) return standin_error(comm, MPI_ERR_GROUP);
  const uint64_t key = standin_creation_key(comm);
  *made = MPI_COMM_NULL;
  if (comm->remote_size > 0) return create_inter(comm, list, n, key, made);
  if (contains(list, n, standin_world_rank))
    *made = standin_comm_make(comm, standin_hash_ints(key, list, n), standin_list_copy(list, n), n, NULL, 0)->handle;
  return MPI_SUCCESS;
}

/* Not collective on the communicator: how many-th call with the same members and tag. */
int standin_Comm_create_group(struct standin_comm* comm, MPI_Group group, int tag, MPI_Comm* made) {
  static struct mora_map calls;
  int n;
  const int* list = standin_group_members(group, &n);
  *made = MPI_COMM_NULL;
  if (group == MPI_GROUP_NULL || !is_subset(comm, list, n)) return standin_error(comm, MPI_ERR_GROUP);
  if (!contains(list, n, standin_world_rank)) return MPI_SUCCESS;
  const uint64_t key = standin_hash_ints(standin_hash(comm->identity, UINT64_C(1) << 40 | (uint32_t)tag), list, n);
  const struct mora_map_slot* slot = mora_map_find(&calls, key);
  const uint64_t ordinal = slot ? slot->value : 0;
  mora_map_set(&calls, key, ordinal + 1);
  *made = standin_comm_make(comm, standin_hash(key, ordinal), standin_list_copy(list, n), n, NULL, 0)->handle;
  return MPI_SUCCESS;
}

static int end_of(MPI_Comm* handle, int (*real)(MPI_Comm*)) {
  struct standin_comm* comm = standin_comm_of(*handle);
  if (!comm) return real(handle);
  if (comm->id <= 1) return standin_error(comm, MPI_ERR_COMM);
  standin_no_more_meetings(comm);
  const int rc = real(handle);
  if (rc == MPI_SUCCESS) standin_comm_remove(comm);
  return rc;
}

int standin_Comm_free(MPI_Comm* handle) { return end_of(handle, mora_real.Comm_free); }
int standin_Comm_disconnect(MPI_Comm* handle) { return end_of(handle, mora_real.Comm_disconnect); }
