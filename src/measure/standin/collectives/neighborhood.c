/* Neighbourhood collectives. A neighbour gives what this rank gives: in gathers its contribution; in all-to-alls what
 * this rank sends in the same direction (Cartesian topologies: what comes from below is what goes up), else what it
 * sends to that neighbour. What this rank sends to itself (a periodic dimension of one process, loops of a graph) so
 * really comes back. Slots of MPI_PROC_NULL are not touched. Of all ranks together, neighbours really give
 * (together.h). */
#include <stdlib.h>

#include "measure/standin/collectives/collective.h"
#include "measure/standin/collectives/together.h"
#include "measure/standin/core/data.h"
#include "measure/standin/core/plan.h"

struct neighbors {
  int n_sources, n_destinations;
  int *sources, *destinations; /* one allocation */
};

static int find_neighbors(const struct standin_comm* comm, struct neighbors* found) {
  const int *sources, *destinations;
  if (!standin_neighbors(comm, &found->n_sources, &sources, &found->n_destinations, &destinations))
    return standin_error(comm, MPI_ERR_TOPOLOGY);
  found->sources = standin_alloc((size_t)(found->n_sources + found->n_destinations) * sizeof(int));
  found->destinations = found->sources + found->n_sources;
  for (int i = 0; i < found->n_sources; i++) found->sources[i] = sources[i];
  for (int i = 0; i < found->n_destinations; i++) found->destinations[i] = destinations[i];
  return MPI_SUCCESS;
}

/* Which own block the neighbour's stands for; -1 none. */
static int model_of(const struct standin_comm* comm, const struct neighbors* all, int slot) {
  const int neighbor = all->sources[slot];
  if (comm->topology == STANDIN_CART) {
    const int same_direction = slot ^ 1;
    if (same_direction < all->n_destinations && all->destinations[same_direction] != MPI_PROC_NULL)
      return same_direction;
    return all->destinations[slot] != MPI_PROC_NULL ? slot : -1;
  }
  int which = 0; /* the k-th time that this neighbour is a source */
  for (int i = 0; i < slot; i++) which += all->sources[i] == neighbor;
  for (int i = 0; i < all->n_destinations; i++)
    if (all->destinations[i] == neighbor && which-- == 0) return i;
  return all->n_destinations > 0 ? slot % all->n_destinations : -1;
}

static void give(const void* from, int from_count, MPI_Datatype from_type, void* to, int count, MPI_Datatype type) {
  const size_t n = standin_bytes(from_count, from_type), room = standin_bytes(count, type);
  if (room == 0 || (n == 0 && room > STANDIN_SMALL)) return;
  if (n >= room || n == 0) {
    if (n == 0)
      standin_fill(to, count, type, NULL, 0);
    else
      standin_move(from, from_count, from_type, to, count, type);
    return;
  }
  char* bytes = standin_alloc(n);
  standin_pack(from, from_count, from_type, bytes);
  standin_fill(to, count, type, bytes, n);
  free(bytes);
}

/* In gathers each neighbour gives the one block. */
static int exchange(const struct standin_blocks* send, int gathers, const struct standin_blocks* receive,
                    struct standin_comm* comm) {
  struct neighbors all;
  int rc = find_neighbors(comm, &all);
  if (rc != MPI_SUCCESS) return rc;
  if (standin_plan.together) {
    rc = standin_together_neighbors(send, gathers, receive, all.n_sources, all.sources, all.n_destinations,
                                    all.destinations, comm);
  } else {
    for (int i = 0; i < all.n_sources; i++) {
      if (all.sources[i] == MPI_PROC_NULL) continue;
      const int model = gathers ? 0 : model_of(comm, &all, i);
      struct standin_block from = {NULL, 0, MPI_BYTE};
      if (model >= 0) from = standin_nth_block(send, model);
      const struct standin_block to = standin_nth_block(receive, i);
      give(from.buffer, from.count, from.type, to.buffer, to.count, to.type);
    }
  }
  free(all.sources);
  return rc;
}

/* With a count for all blocks, which is checked. */
static int checked_exchange(const struct standin_blocks* send, int gathers, const struct standin_blocks* receive,
                            struct standin_comm* comm) {
  int rc = standin_check_collective(send->count, send->type);
  if (rc == MPI_SUCCESS && !receive->counts) rc = standin_check_collective(receive->count, receive->type);
  return rc == MPI_SUCCESS ? exchange(send, gathers, receive, comm) : standin_error(comm, rc);
}

int standin_Neighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                               MPI_Datatype type, struct standin_comm* comm) {
  const struct standin_blocks from = {send, NULL, NULL, NULL, send_count, send_type, NULL};
  const struct standin_blocks to = {receive, NULL, NULL, NULL, count, type, NULL};
  return checked_exchange(&from, 1, &to, comm);
}

int standin_Neighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                const int counts[], const int places[], MPI_Datatype type, struct standin_comm* comm) {
  const struct standin_blocks from = {send, NULL, NULL, NULL, send_count, send_type, NULL};
  const struct standin_blocks to = {receive, counts, places, NULL, 0, type, NULL};
  return checked_exchange(&from, 1, &to, comm);
}

int standin_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                              MPI_Datatype type, struct standin_comm* comm) {
  const struct standin_blocks from = {send, NULL, NULL, NULL, send_count, send_type, NULL};
  const struct standin_blocks to = {receive, NULL, NULL, NULL, count, type, NULL};
  return checked_exchange(&from, 0, &to, comm);
}

int standin_Neighbor_alltoallv(const void* send, const int send_counts[], const int send_places[],
                               MPI_Datatype send_type, void* receive, const int counts[], const int places[],
                               MPI_Datatype type, struct standin_comm* comm) {
  const struct standin_blocks from = {send, send_counts, send_places, NULL, 0, send_type, NULL};
  const struct standin_blocks to = {receive, counts, places, NULL, 0, type, NULL};
  return exchange(&from, 0, &to, comm);
}

int standin_Neighbor_alltoallw(const void* send, const int send_counts[], const MPI_Aint send_places[],
                               const MPI_Datatype send_types[], void* receive, const int counts[],
                               const MPI_Aint places[], const MPI_Datatype types[], struct standin_comm* comm) {
  const struct standin_blocks from = {send, send_counts, NULL, send_places, 0, MPI_BYTE, send_types};
  const struct standin_blocks to = {receive, counts, NULL, places, 0, MPI_BYTE, types};
  return exchange(&from, 0, &to, comm);
}
