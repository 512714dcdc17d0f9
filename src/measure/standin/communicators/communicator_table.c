/* Who is in which communicator. */
#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/registry.h"

static struct mora_map by_handle; /* handle → address */
static struct standin_comm* last;
static uint32_t next_id;

struct standin_comm* standin_comm_of(MPI_Comm comm) {
  if (last && last->handle == comm) return last;
  if (!MORA_KEY(comm)) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, MORA_KEY(comm));
  if (!slot) return NULL;
  return last = (struct standin_comm*)(uintptr_t)slot->value;
}

struct standin_comm* standin_comm_add(MPI_Comm handle, uint64_t identity, int* members, int size, int* remote,
                                      int remote_size) {
  struct standin_comm* comm = standin_alloc(sizeof *comm);
  memset(comm, 0, sizeof *comm);
  comm->handle = handle;
  comm->id = next_id++;
  comm->identity = identity;
  comm->members = members;
  comm->size = size;
  comm->remote = remote;
  comm->remote_size = remote_size;
  if (!members && size > 1) comm->rank = standin_world_rank;
  if (members)
    while (comm->rank < size && members[comm->rank] != standin_world_rank) comm->rank++;
  if (!mora_map_set(&by_handle, MORA_KEY(handle), (uint64_t)(uintptr_t)comm)) standin_stop("no memory");
  return comm;
}

static void release(struct standin_comm* comm) {
  int* const arrays[] = {
      comm->members, comm->remote,  comm->dims,           comm->periods,      comm->index,
      comm->edges,   comm->sources, comm->source_weights, comm->destinations, comm->destination_weights};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(comm);
}

void standin_comm_remove(struct standin_comm* comm) {
  static struct standin_comm* removed[256];
  static unsigned next;
  mora_map_remove(&by_handle, MORA_KEY(comm->handle));
  if (last == comm) last = NULL;
  if (removed[next % 256]) release(removed[next % 256]);
  removed[next++ % 256] = comm;
}

struct standin_comm* standin_comm_make(struct standin_comm* parent, uint64_t identity, int* members, int size,
                                       int* remote, int remote_size) {
  MPI_Comm handle;
  if (PMPI_Comm_split(parent->handle, 0, 0, &handle) != MPI_SUCCESS)
    standin_stop("the MPI library gives no communicator");
  return standin_comm_add(handle, identity, members, size, remote, remote_size);
}

int* standin_comm_members(const struct standin_comm* comm) {
  int* members = standin_alloc((size_t)comm->size * sizeof *members);
  for (int i = 0; i < comm->size; i++) members[i] = standin_member(comm, i);
  return members;
}

void standin_comms_start(void) {
  standin_comm_add(MPI_COMM_WORLD, standin_hash(3, 0), NULL, standin_world_size, NULL, 0);
  /* each rank has its own: no other rank contributes to calls on it */
  standin_comm_add(MPI_COMM_SELF, standin_hash(2, (uint64_t)standin_world_rank), NULL, 1, NULL, 0);
}

int standin_member(const struct standin_comm* comm, int local_rank) {
  if (local_rank < 0 || local_rank >= comm->size) return -1;
  if (comm->members) return comm->members[local_rank];
  return comm->size > 1 ? local_rank : standin_world_rank;
}

int standin_peer(const struct standin_comm* comm, int rank) {
  if (comm->remote_size == 0) return standin_member(comm, rank);
  return rank < 0 || rank >= comm->remote_size ? -1 : comm->remote[rank];
}

int standin_peers(const struct standin_comm* comm) { return comm->remote_size > 0 ? comm->remote_size : comm->size; }

int* standin_list_copy(const int* list, int n) { return list ? standin_copy(list, (size_t)n * sizeof *list) : NULL; }
