/* Inter-communicators. The two leaders publish their groups for each other; the others learn the remote group from
 * their own leader. */
#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/registry.h"

/* How many-th creation between these two leaders over this communicator and tag. */
static uint64_t leaders_key(const struct standin_comm* bridge, int tag, int one, int other) {
  static struct mora_map calls;
  const int pair[] = {one < other ? one : other, one < other ? other : one, tag};
  const uint64_t key = standin_hash_ints(standin_hash(bridge->identity, UINT64_C(1) << 41), pair, 3);
  const struct mora_map_slot* slot = mora_map_find(&calls, key);
  const uint64_t ordinal = slot ? slot->value : 0;
  mora_map_set(&calls, key, ordinal + 1);
  return standin_hash(key, ordinal);
}

/* Publishes a group and the key of the creation in it: the contribution of a leader. */
static void publish_group(uint64_t call, uint64_t key, const int* members, int n) {
  int* words = standin_alloc(((size_t)n + 2) * sizeof *words);
  words[0] = (int)(uint32_t)key;
  words[1] = (int)(uint32_t)(key >> 32);
  memcpy(words + 2, members, (size_t)n * sizeof *words);
  standin_publish(call, words, n + 2);
  free(words);
}

int standin_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm bridge_handle, int remote_leader, int tag,
                             MPI_Comm* made) {
  struct standin_comm* comm = standin_comm_of(local);
  if (!comm) return PMPI_Intercomm_create(local, local_leader, bridge_handle, remote_leader, tag, made);
  const int leader = standin_member(comm, local_leader);
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  if (leader < 0) return standin_error(comm, MPI_ERR_RANK);
  *made = MPI_COMM_NULL;
  const uint64_t call = standin_creation_key(comm);
  int* members = standin_comm_members(comm);
  if (leader == standin_world_rank) {
    const struct standin_comm* bridge = standin_comm_of(bridge_handle);
    const int other = bridge ? standin_peer(bridge, remote_leader) : -1;
    if (other < 0) return standin_error(comm, bridge ? MPI_ERR_RANK : MPI_ERR_COMM);
    const uint64_t between = leaders_key(bridge, tag, leader, other);
    publish_group(between, call, members, comm->size);
    standin_call_for(between, &other, 1);
    const struct standin_contribution* theirs = standin_published(between, other);
    standin_publish(call, theirs->words, (int)theirs->n);
  } else {
    standin_call_for(call, &leader, 1);
  }
  const struct standin_contribution* remote = standin_published(call, leader);
  const uint64_t their_call = (uint64_t)(uint32_t)remote->words[1] << 32 | (uint32_t)remote->words[0];
  const int n = (int)remote->n - 2;
  *made = standin_comm_make(comm, standin_hash(call + their_call, 4), members, comm->size,
                            standin_copy(remote->words + 2, (size_t)n * sizeof(int)), n)
              ->handle;
  return MPI_SUCCESS;
}

/* The group with high = 0 comes first. If both say the same, MPI leaves the order open: the group whose first process
 * has the lower world rank. */
int standin_Intercomm_merge(struct standin_comm* comm, int high, MPI_Comm* made) {
  if (comm->remote_size == 0) return standin_error(comm, MPI_ERR_COMM);
  const uint64_t call = standin_creation_key(comm);
  const int mine = high != 0;
  standin_publish(call, &mine, 1);
  standin_call_for(call, comm->remote, 1);
  const int theirs = standin_published(call, comm->remote[0])->words[0];
  const int first = mine != theirs ? !mine : standin_member(comm, 0) < comm->remote[0];
  int* members = standin_alloc(((size_t)comm->size + (size_t)comm->remote_size) * sizeof *members);
  for (int i = 0; i < comm->size; i++) members[(first ? 0 : comm->remote_size) + i] = standin_member(comm, i);
  for (int i = 0; i < comm->remote_size; i++) members[(first ? comm->size : 0) + i] = comm->remote[i];
  *made = standin_comm_make(comm, standin_hash(call, 5), members, comm->size + comm->remote_size, NULL, 0)->handle;
  return MPI_SUCCESS;
}
