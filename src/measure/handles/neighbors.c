/* Neighbours of a process by MPI's topology functions (neighbors.h); the last answer is kept. */
#include "measure/handles/neighbors.h"

#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/handle_map.h"

/* The topology of a communicator never changes and its number is never used again: one entry, as most programs ask for
 * the same one again and again. The arrays are the thread's rooms. */
static __thread struct mora_neighbors last;
static __thread uint32_t last_id = MORA_NO_COMM;

static int* room(enum mora_room_kind kind, int n) {
  struct mora_room* room = &mora_self.thread->rooms[kind];
  return mora_reserve(&room->memory, &room->capacity, n > 0 ? (uint32_t)n : 1, sizeof(int)) ? room->memory : NULL;
}

static __thread int *sources, *destinations;

static int reserve(int n_sources, int n_destinations) {
  sources = room(MORA_ROOM_SOURCES, n_sources);
  destinations = room(MORA_ROOM_DESTINATIONS, n_destinations);
  return sources && destinations;
}

static int cartesian(MPI_Comm comm) {
  int dimensions = 0;
  if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions < 0 || !reserve(2 * dimensions, 2 * dimensions))
    return 0;
  for (int d = 0; d < dimensions; d++) {
    int lower = MPI_PROC_NULL, higher = MPI_PROC_NULL;
    if (PMPI_Cart_shift(comm, d, 1, &lower, &higher) != MPI_SUCCESS) return 0;
    sources[2 * d] = destinations[2 * d] = lower;
    sources[2 * d + 1] = destinations[2 * d + 1] = higher;
  }
  last.n_sources = last.n_destinations = 2 * dimensions;
  return 1;
}

static int graph(MPI_Comm comm) {
  int rank = 0, n = 0;
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || PMPI_Graph_neighbors_count(comm, rank, &n) != MPI_SUCCESS ||
      !reserve(n, n) || PMPI_Graph_neighbors(comm, rank, n, destinations) != MPI_SUCCESS)
    return 0;
  for (int i = 0; i < n; i++) sources[i] = destinations[i];
  last.n_sources = last.n_destinations = n;
  return 1;
}

static int distributed_graph(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS || !reserve(in, out)) return 0;
  /* The weights are asked for only if there are some; MPI_UNWEIGHTED is no constant for us under Open MPI. */
  int* weights_in = room(MORA_ROOM_SOURCE_WEIGHTS, in);
  int* weights_out = room(MORA_ROOM_DESTINATION_WEIGHTS, out);
  if (!weights_in || !weights_out) return 0;
  if (PMPI_Dist_graph_neighbors(comm, in, sources, weights_in, out, destinations, weights_out) != MPI_SUCCESS) return 0;
  last.n_sources = in;
  last.n_destinations = out;
  return 1;
}

const struct mora_neighbors* mora_neighbors_of(MPI_Comm comm, uint32_t id) {
  if (id == last_id && id != MORA_NO_COMM) return &last;
  int topology = MPI_UNDEFINED, known = 0;
  last_id = MORA_NO_COMM;
  if (PMPI_Topo_test(comm, &topology) == MPI_SUCCESS) {
    if (topology == MPI_CART) known = cartesian(comm);
    if (topology == MPI_GRAPH) known = graph(comm);
    if (topology == MPI_DIST_GRAPH) known = distributed_graph(comm);
  }
  if (known)
    last_id = id;
  else
    last.n_sources = last.n_destinations = 0;
  last.sources = sources;
  last.destinations = destinations;
  return &last;
}

void mora_count_peers(MPI_Comm comm, int* receivers, int* senders) {
  int inter = 0;
  int peers = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) {
    PMPI_Comm_remote_size(comm, &peers);
  } else {
    PMPI_Comm_size(comm, &peers);
  }
  *receivers = *senders = peers;
}

void mora_count_neighbors(MPI_Comm comm, int* receivers, int* senders) {
  const struct mora_neighbors* neighbors = mora_neighbors_of(comm, UINT32_MAX); /* any communicator: not kept */
  *receivers = neighbors->n_destinations;
  *senders = neighbors->n_sources;
}
