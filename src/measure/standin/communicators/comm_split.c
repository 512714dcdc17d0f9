/* Splits. Members depend on what every rank of the communicator says, so the others' arguments are needed (registry.h).
 */
#include <stdlib.h>

#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/registry.h"

struct place {
  int key, rank, world;
};

static int by_key(const void* first, const void* second) {
  const struct place *a = first, *b = second;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* World ranks of those among `ranks` (of one group, in its order) who published `color`, in the order of their keys.
 * Returns how many. */
static int gather_color(uint64_t call, const int* ranks, int n, int color, int** made) {
  struct place* places = standin_alloc((size_t)n * sizeof *places);
  int count = 0;
  for (int i = 0; i < n; i++) {
    const struct standin_contribution* theirs = standin_published(call, ranks[i]);
    if (theirs && theirs->words[0] == color) places[count++] = (struct place){theirs->words[1], i, ranks[i]};
  }
  qsort(places, (size_t)count, sizeof *places, by_key);
  *made = standin_alloc((size_t)count * sizeof **made);
  for (int i = 0; i < count; i++) (*made)[i] = places[i].world;
  free(places);
  return count;
}

int standin_Comm_split(struct standin_comm* comm, int color, int key, MPI_Comm* made) {
#ifdef OPEN_MPI
  if (color < 0 && color != MPI_UNDEFINED) return standin_error(comm, MPI_ERR_ARG);
#endif
  const uint64_t call = standin_creation_key(comm);
  const int mine[] = {color, key};
  *made = MPI_COMM_NULL;
  standin_publish(call, mine, 2);
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  int* all = standin_comm_members(comm);
  standin_call_for(call, all, comm->size);
  int *members, *remote = NULL;
  const int n = gather_color(call, all, comm->size, color, &members);
  free(all);
  int n_remote = 0;
  if (comm->remote_size > 0) {
    standin_call_for(call, comm->remote, comm->remote_size);
    n_remote = gather_color(call, comm->remote, comm->remote_size, color, &remote);
    if (n_remote == 0) { /* no rank there has this colour */
      free(members);
      free(remote);
      return MPI_SUCCESS;
    }
  }
  *made =
      standin_comm_make(comm, standin_hash(call, (uint32_t)color + UINT64_C(2)), members, n, remote, n_remote)->handle;
  return MPI_SUCCESS;
}

static int node_of(int world_rank) {
  return standin_plan.ranks_per_node > 0 ? world_rank / standin_plan.ranks_per_node : 0;
}

/* Ranks are placed on nodes in blocks. Only those on one's own node are asked for their key. */
int standin_Comm_split_type(struct standin_comm* comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (type != MPI_UNDEFINED && type != MPI_COMM_TYPE_SHARED) return standin_unsupported(comm);
  const uint64_t call = standin_creation_key(comm);
  const int mine[] = {type, key};
  *made = MPI_COMM_NULL;
  standin_publish(call, mine, 2);
  if (type == MPI_UNDEFINED) return MPI_SUCCESS;
  int* near = standin_alloc((size_t)comm->size * sizeof *near);
  int n = 0;
  for (int i = 0; i < comm->size; i++) {
    const int rank = standin_member(comm, i);
    if (node_of(rank) == node_of(standin_world_rank)) near[n++] = rank;
  }
  standin_call_for(call, near, n);
  int* members;
  const int count = gather_color(call, near, n, type, &members);
  free(near);
  const uint64_t identity = standin_hash(call, (uint32_t)node_of(standin_world_rank) + UINT64_C(2));
  *made = standin_comm_make(comm, identity, members, count, NULL, 0)->handle;
  return MPI_SUCCESS;
}
