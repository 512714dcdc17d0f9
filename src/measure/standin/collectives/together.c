/* Who gives what to whom in each collective call (exchange_call.h). */
#include "measure/standin/collectives/together.h"

#include "measure/standin/collectives/exchange_call.h"
#include "measure/standin/communicators/meeting.h"

struct standin_block standin_nth_block(const struct standin_blocks* all, int i) {
  struct standin_block block = {(char*)(uintptr_t)all->buffer, all->counts ? all->counts[i] : all->count,
                                all->types ? all->types[i] : all->type};
  MPI_Aint bytes;
  if (all->byte_places)
    bytes = all->byte_places[i];
  else if (all->types)
    bytes = all->places[i];
  else
    bytes = (all->places ? all->places[i] : (MPI_Aint)i * all->count) * standin_extent(all->type);
  block.buffer = (char*)block.buffer + bytes;
  return block;
}

static void give_block(struct standin_exchange* call, const struct standin_blocks* all, int i, int key) {
  const struct standin_block block = standin_nth_block(all, i);
  standin_gives(call, block.buffer, block.count, block.type, key);
}
static void take_block(struct standin_exchange* call, const struct standin_comm* comm, const struct standin_blocks* all,
                       int i, int part) {
  const struct standin_block block = standin_nth_block(all, i);
  standin_takes(call, standin_number_of_peer(comm, i), part, block.buffer, block.count, block.type);
}

static int is_inter(const struct standin_comm* comm) { return comm->remote_size > 0; }
static int is_root(const struct standin_comm* comm, int root) {
  return is_inter(comm) ? root == MPI_ROOT : root == comm->rank;
}
/* 1: in the group whose processes are not roots, or in the only group. */
static int is_served(const struct standin_comm* comm, int root) { return !is_inter(comm) || root >= 0; }

int standin_together_barrier(struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  standin_takes_of_all(call);
  return standin_exchange_run(call);
}

int standin_together_bcast(void* buffer, int count, MPI_Datatype type, int root, struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  if (is_root(comm, root)) {
    standin_gives(call, buffer, count, type, -1);
    standin_gives_alone(call);
  } else if (is_served(comm, root)) {
    standin_takes(call, standin_number_of_peer(comm, root), 0, buffer, count, type);
  }
  return standin_exchange_run(call);
}

int standin_together_scatter(const struct standin_blocks* send, void* receive, int count, MPI_Datatype type, int root,
                             struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  if (is_root(comm, root)) {
    for (int i = 0; i < standin_peers(comm); i++) give_block(call, send, i, -1);
    standin_gives_alone(call);
  }
  if (is_served(comm, root) && receive != MPI_IN_PLACE)
    standin_takes(call, standin_number_of_peer(comm, root), comm->rank, receive, count, type);
  return standin_exchange_run(call);
}

int standin_together_gather(const void* send, int send_count, MPI_Datatype send_type,
                            const struct standin_blocks* receive, int root, struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  const int to_all = root == -1, in_place = send == MPI_IN_PLACE;
  if (in_place)
    give_block(call, receive, comm->rank, -1);
  else if (to_all || is_served(comm, root))
    standin_gives(call, send, send_count, send_type, -1);
  if (to_all || is_root(comm, root))
    for (int i = 0; i < standin_peers(comm); i++)
      if (!in_place || i != comm->rank) take_block(call, comm, receive, i, 0);
  return standin_exchange_run(call);
}

int standin_together_alltoall(const struct standin_blocks* send, const struct standin_blocks* receive,
                              struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  const struct standin_blocks* from = send->buffer == MPI_IN_PLACE ? receive : send;
  for (int i = 0; i < standin_peers(comm); i++) give_block(call, from, i, -1);
  for (int i = 0; i < standin_peers(comm); i++) take_block(call, comm, receive, i, comm->rank);
  return standin_exchange_run(call);
}

int standin_together_reduce(enum standin_reduce_kind kind, const void* send, void* receive, int count,
                            MPI_Datatype type, MPI_Op op, int root, long long begin, int taken,
                            struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  struct standin_reduction reduction = {.first = standin_number_of_peer(comm, 0),
                                        .n = standin_peers(comm),
                                        .count = count,
                                        .type = type,
                                        .op = op,
                                        .buffer = receive,
                                        .begin = begin,
                                        .taken = taken};
  reduction.for_all = !is_inter(comm) && kind != STANDIN_SCAN && kind != STANDIN_EXSCAN;
  if (kind == STANDIN_SCAN || kind == STANDIN_EXSCAN) reduction.n = comm->rank + (kind == STANDIN_SCAN);
  if (kind == STANDIN_REDUCE && !is_root(comm, root)) reduction.buffer = NULL;
  if (reduction.n == 0) reduction.buffer = NULL;
  if (kind != STANDIN_REDUCE || is_served(comm, root))
    standin_gives(call, send == MPI_IN_PLACE ? receive : send, count, type, -1);
  standin_reduces(call, &reduction);
  return standin_exchange_run(call);
}

/* On a Cartesian topology what comes from one side is what was sent to the other. Else parts carry their receiver's
 * rank: the k-th slot of a source takes the k-th part that is for this rank. */
int standin_together_neighbors(const struct standin_blocks* send, int gathers, const struct standin_blocks* receive,
                               int n_sources, const int* sources, int n_destinations, const int* destinations,
                               struct standin_comm* comm) {
  struct standin_exchange* call = standin_exchange_new(comm);
  const int is_cart = comm->topology == STANDIN_CART;
  if (gathers) give_block(call, send, 0, -1);
  for (int i = 0; i < n_destinations && !gathers; i++) {
    if (destinations[i] == MPI_PROC_NULL)
      standin_gives(call, NULL, 0, MPI_BYTE, is_cart ? -1 : -2);
    else
      give_block(call, send, i, is_cart ? -1 : destinations[i]);
  }
  standin_gives_alone(call);
  for (int i = 0; i < n_sources; i++) {
    if (sources[i] == MPI_PROC_NULL) continue;
    if (gathers || is_cart) {
      const struct standin_block block = standin_nth_block(receive, i);
      standin_takes(call, standin_number_of_own(comm, sources[i]), gathers ? 0 : i ^ 1, block.buffer, block.count,
                    block.type);
      continue;
    }
    int which = 0;
    for (int k = 0; k < i; k++) which += sources[k] == sources[i];
    const struct standin_block block = standin_nth_block(receive, i);
    standin_takes_own(call, standin_number_of_own(comm, sources[i]), which, block.buffer, block.count, block.type);
  }
  return standin_exchange_run(call);
}
