/* Cartesian topologies (MPI-3.1, chapter 7). Ranks are never reordered: the rank is the
 * position in row-major order, the last dimension fastest, and nothing but dims and periods is stored. A call costs
 * O(dimensions); MPI_Cart_sub, which must find all members of its part, O(ranks x dimensions). Coordinates outside of
 * a dimension that is not periodic are MPI_PROC_NULL for shifts and an error for MPI_Cart_rank. */
#include <stdlib.h>
#include <string.h>

#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/registry.h"

static void coordinates(const struct standin_comm* cart, int rank, int* coords) {
  for (int d = cart->ndims; d-- > 0;) {
    coords[d] = rank % cart->dims[d];
    rank /= cart->dims[d];
  }
}

static long long product(const int* dims, int n) {
  long long all = 1;
  for (int d = 0; d < n && all >= 0 && all <= INT32_MAX; d++) all *= dims[d];
  return all;
}

static void set_cart(struct standin_comm* comm, int ndims, const int* dims, const int* periods) {
  comm->topology = STANDIN_CART;
  comm->ndims = ndims;
  comm->dims = standin_copy(dims, (size_t)ndims * sizeof *dims);
  comm->periods = standin_copy(periods, (size_t)ndims * sizeof *periods);
  for (int d = 0; d < ndims; d++) comm->periods[d] = periods[d] != 0;
}

int standin_Cart_create(struct standin_comm* comm, int ndims, const int dims[], const int periods[], int reorder,
                        MPI_Comm* made) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  if (ndims < 0) return standin_error(comm, MPI_ERR_ARG);
  for (int d = 0; d < ndims; d++)
    if (dims[d] <= 0) return standin_error(comm, MPI_ERR_ARG);
  const long long n = product(dims, ndims);
  if (n > comm->size) return standin_error(comm, MPI_ERR_ARG);
  const uint64_t key = standin_creation_key(comm);
  *made = MPI_COMM_NULL;
  if (comm->rank >= n) return MPI_SUCCESS;
  struct standin_comm* cart =
      standin_comm_make(comm, standin_hash(key, 6), standin_comm_members(comm), (int)n, NULL, 0);
  set_cart(cart, ndims, dims, periods);
  *made = cart->handle;
  return MPI_SUCCESS;
}

int standin_Cart_sub(struct standin_comm* cart, const int remain[], MPI_Comm* made) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  const uint64_t key = standin_creation_key(cart);
#ifndef OPEN_MPI
  int any = 0; /* MPICH gives a zero-dimensional communicator to rank 0 only */
  for (int d = 0; d < cart->ndims; d++) any |= remain[d];
  *made = MPI_COMM_NULL;
  if (!any && cart->rank != 0) return MPI_SUCCESS;
#endif
  int* mine = standin_alloc((size_t)cart->ndims * 4 * sizeof *mine);
  int *theirs = mine + cart->ndims, *dims = theirs + cart->ndims, *periods = dims + cart->ndims;
  int kept = 0, n = 0, color = 0;
  coordinates(cart, cart->rank, mine);
  for (int d = 0; d < cart->ndims; d++) {
    if (remain[d]) {
      dims[kept] = cart->dims[d];
      periods[kept++] = cart->periods[d];
    } else {
      color = color * cart->dims[d] + mine[d];
    }
  }
  int* members = standin_alloc((size_t)cart->size * sizeof *members);
  for (int rank = 0; rank < cart->size; rank++) {
    int same = 1;
    coordinates(cart, rank, theirs);
    for (int d = 0; d < cart->ndims; d++) same &= remain[d] || theirs[d] == mine[d];
    if (same) members[n++] = standin_member(cart, rank);
  }
  struct standin_comm* sub = standin_comm_make(cart, standin_hash(key, (uint64_t)color + 7), members, n, NULL, 0);
  set_cart(sub, kept, dims, periods);
  free(mine);
  *made = sub->handle;
  return MPI_SUCCESS;
}

int standin_Cartdim_get(struct standin_comm* cart, int* ndims) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  *ndims = cart->ndims;
  return MPI_SUCCESS;
}

int standin_Cart_get(struct standin_comm* cart, int maxdims, int dims[], int periods[], int coords[]) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  if (maxdims < cart->ndims) return standin_error(cart, MPI_ERR_ARG);
  for (int d = 0; d < cart->ndims; d++) {
    dims[d] = cart->dims[d];
    periods[d] = cart->periods[d];
  }
  coordinates(cart, cart->rank, coords);
  return MPI_SUCCESS;
}

int standin_Cart_coords(struct standin_comm* cart, int rank, int maxdims, int coords[]) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  if (rank < 0 || rank >= cart->size) return standin_error(cart, MPI_ERR_RANK);
  if (maxdims < cart->ndims) return standin_error(cart, MPI_ERR_ARG);
  coordinates(cart, rank, coords);
  return MPI_SUCCESS;
}

int standin_Cart_rank(struct standin_comm* cart, const int coords[], int* rank) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  int place = 0;
  for (int d = 0; d < cart->ndims; d++) {
    const int n = cart->dims[d];
    int at = coords[d];
    if (at < 0 || at >= n) {
      if (!cart->periods[d]) return standin_error(cart, MPI_ERR_ARG);
      at = (at % n + n) % n;
    }
    place = place * n + at;
  }
  *rank = place;
  return MPI_SUCCESS;
}

static int shifted(const struct standin_comm* cart, int direction, long long disp) {
  int stride = 1;
  for (int d = cart->ndims; --d > direction;) stride *= cart->dims[d];
  const int n = cart->dims[direction], at = cart->rank / stride % n;
  long long to = at + disp;
  if (cart->periods[direction])
    to = (to % n + n) % n;
  else if (to < 0 || to >= n)
    return MPI_PROC_NULL;
  return cart->rank + (int)(to - at) * stride;
}

int standin_Cart_shift(struct standin_comm* cart, int direction, int disp, int* source, int* destination) {
  if (cart->topology != STANDIN_CART) return standin_error(cart, MPI_ERR_TOPOLOGY);
  if (direction < 0 || direction >= cart->ndims) return standin_error(cart, MPI_ERR_ARG);
  *source = shifted(cart, direction, -(long long)disp);
  *destination = shifted(cart, direction, disp);
  return MPI_SUCCESS;
}

int standin_Cart_map(struct standin_comm* comm, int ndims, const int dims[], const int periods[], int* rank) {
  const long long n = product(dims, ndims);
  if (n < 0 || n > comm->size) return standin_error(comm, MPI_ERR_ARG);
#ifdef OPEN_MPI
  *rank = comm->rank; /* also of those that are left out, unlike MPI-3.1 7.5.8 */
#else
  *rank = comm->rank < n ? comm->rank : MPI_UNDEFINED;
#endif
  return MPI_SUCCESS;
}

/* Per dimension: the one before, the one after. */
static void cart_neighbors(const struct standin_comm* cart, int* neighbors) {
  for (int d = 0; d < cart->ndims; d++) {
    neighbors[2 * d] = shifted(cart, d, -1);
    neighbors[2 * d + 1] = shifted(cart, d, 1);
  }
}

int standin_neighbors(const struct standin_comm* comm, int* n_sources, const int** sources, int* n_destinations,
                      const int** destinations) {
  static int* around;
  switch (comm->topology) {
    case STANDIN_CART:
      free(around);
      around = standin_alloc((size_t)comm->ndims * 2 * sizeof *around);
      cart_neighbors(comm, around);
      *n_sources = *n_destinations = 2 * comm->ndims;
      *sources = *destinations = around;
      return 1;
    case STANDIN_GRAPH: {
      const int first = comm->rank == 0 ? 0 : comm->index[comm->rank - 1];
      *n_sources = *n_destinations = comm->index[comm->rank] - first;
      *sources = *destinations = comm->edges + first;
      return 1;
    }
    case STANDIN_DIST_GRAPH:
      *n_sources = comm->indegree;
      *sources = comm->sources;
      *n_destinations = comm->outdegree;
      *destinations = comm->destinations;
      return 1;
    default:
      *n_sources = *n_destinations = 0;
      *sources = *destinations = NULL;
      return 0;
  }
}

int standin_Topo_test(struct standin_comm* comm, int* status) {
  *status = comm->topology == STANDIN_CART    ? MPI_CART
            : comm->topology == STANDIN_GRAPH ? MPI_GRAPH
            : comm->topology == STANDIN_NONE  ? MPI_UNDEFINED
                                              : MPI_DIST_GRAPH;
  return MPI_SUCCESS;
}

void standin_topology_copy(struct standin_comm* to, const struct standin_comm* from) {
  to->topology = from->topology;
  to->ndims = from->ndims;
  to->dims = standin_list_copy(from->dims, from->ndims);
  to->periods = standin_list_copy(from->periods, from->ndims);
  to->nnodes = from->nnodes;
  to->index = standin_list_copy(from->index, from->nnodes);
  to->edges = standin_list_copy(from->edges, from->nnodes > 0 ? from->index[from->nnodes - 1] : 0);
  to->indegree = from->indegree;
  to->sources = standin_list_copy(from->sources, from->indegree);
  to->source_weights = standin_list_copy(from->source_weights, from->indegree);
  to->outdegree = from->outdegree;
  to->destinations = standin_list_copy(from->destinations, from->outdegree);
  to->destination_weights = standin_list_copy(from->destination_weights, from->outdegree);
  to->weighted = from->weighted;
}
