/* Collective operations that move data, blocking. What the others contribute is assumed to be what this rank
 * contributes (SPMD); what a root gives is known (root_data.h). Own contributions stand where they belong. So with one
 * process everything is exact, and with more
 *
 *   Bcast, Scatter(v)          the root's data; without them the buffer stays as it is
 *   Gather(v), Allgather(v)    own contribution in every block (repeated or cut where blocks differ in length)
 *   Alltoall(v, w)             from each rank what this one sends to it
 *   Reduce, Allreduce, …       as many equal operands as there are ranks: sums of counts and sizes are those of the
 *                              job, maxima one's own
 *   Scan, Exscan               rank + 1, rank equal operands: offsets are those of equal shares
 *
 * On an inter-communicator the other group contributes what this rank would; where this rank gives nothing, buffers
 * stay. Of all ranks together, what the others contribute is what they really give (together.h). */
#include <stdlib.h>

#include "measure/standin/assumed/assumed_messages.h"
#include "measure/standin/assumed/root_data.h"
#include "measure/standin/collectives/collective.h"
#include "measure/standin/collectives/reductions.h"
#include "measure/standin/collectives/together.h"
#include "measure/standin/core/plan.h"

/* ---- arguments ---- */

int standin_check_collective(int count, MPI_Datatype type) {
  if (count < 0) return MPI_ERR_COUNT;
  return type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
}

static int check_root(const struct standin_comm* comm, int root) {
  if (comm->remote_size > 0 && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
  return root < 0 || root >= standin_peers(comm) ? MPI_ERR_ROOT : MPI_SUCCESS;
}

#define REFUSE_IF(CODE)                                          \
  do {                                                           \
    const int wrong = (CODE);                                    \
    if (wrong != MPI_SUCCESS) return standin_error(comm, wrong); \
  } while (0)

static char* block_at(void* buffer, long long index, MPI_Datatype type) {
  return (char*)buffer + index * standin_extent(type);
}
static const char* const_block_at(const void* buffer, long long index, MPI_Datatype type) {
  return (const char*)buffer + index * standin_extent(type);
}

/* The rank whose block is known: this one; -1 on an inter-communicator. */
static int own(const struct standin_comm* comm) { return comm->remote_size > 0 ? -1 : comm->rank; }
static int is_root(const struct standin_comm* comm, int root) {
  return comm->remote_size > 0 ? root == MPI_ROOT : root == comm->rank;
}
/* 1: this process of an inter-communicator takes no part in a rooted call (root is MPI_PROC_NULL). */
static int stands_by(const struct standin_comm* comm, int root) {
  return comm->remote_size > 0 && root == MPI_PROC_NULL;
}

/* A contribution as bytes, packed once and given to many blocks. */
struct share {
  char* bytes;
  size_t n;
  int owned;
};
static struct share share_of(const void* buffer, int count, MPI_Datatype type) {
  MPI_Aint offset;
  struct share share = {NULL, standin_bytes(count, type), 0};
  if (share.n == 0) return share;
  if (standin_is_plain(count, type, &offset)) {
    share.bytes = (char*)(uintptr_t)buffer + offset;
    return share;
  }
  share.bytes = standin_alloc(share.n);
  share.owned = 1;
  standin_pack(buffer, count, type, share.bytes);
  return share;
}
static void release(struct share* share) {
  if (share->owned) free(share->bytes);
}
/* Nothing contributed: small blocks are zeroed by standin_fill, large ones stay. */
static void give(const struct share* share, void* buffer, int count, MPI_Datatype type) {
  if (share->n == 0 && standin_bytes(count, type) > STANDIN_SMALL) return;
  if (standin_bytes(count, type) > 0) standin_fill(buffer, count, type, share->bytes, share->n);
}

/* ---- from a root ---- */

int standin_Barrier(struct standin_comm* comm) {
  if (standin_plan.together) return standin_together_barrier(comm);
  standin_forget_senders_before(comm);
  return MPI_SUCCESS;
}

int standin_Bcast(void* buffer, int count, MPI_Datatype type, int root, struct standin_comm* comm) {
  REFUSE_IF(standin_check_collective(count, type));
  REFUSE_IF(check_root(comm, root));
  if (standin_plan.together) return standin_together_bcast(buffer, count, type, root, comm);
  const uint64_t key = standin_rooted_key(comm);
  const size_t bytes = standin_bytes(count, type);
  if (!key || !standin_root_publishes(comm, bytes)) {
    if (!is_root(comm, root) && bytes > 0)
      standin_note("broadcasts that are too large or too many to be known: buffers stay as they are");
    return MPI_SUCCESS;
  }
  if (is_root(comm, root)) {
    struct share share = share_of(buffer, count, type);
    standin_publish_root_data(key, share.bytes, share.n);
    release(&share);
  } else {
    size_t n;
    const void* given = standin_root_data(key, comm, root, &n);
    if (given) standin_unpack(buffer, count, type, given, n);
  }
  return MPI_SUCCESS;
}

/* A root's blocks one after the other, each behind its length. */
static void publish_blocks(uint64_t key, const struct standin_comm* comm, const void* buffer, const int counts[],
                           const int places[], int count, MPI_Datatype type) {
  size_t total = 0;
  for (int i = 0; i < comm->size; i++) total += 8 + standin_bytes(counts ? counts[i] : count, type);
  if (!standin_root_publishes(comm, total)) {
    standin_publish_root_data(key, NULL, 0);
    return;
  }
  char *all = standin_alloc(total), *at = all;
  for (int i = 0; i < comm->size; i++) {
    const int n = counts ? counts[i] : count;
    const uint64_t bytes = standin_bytes(n, type);
    __builtin_memcpy(at, &bytes, 8);
    standin_pack(const_block_at(buffer, places ? places[i] : (long long)i * count, type), n, type, at + 8);
    at += 8 + bytes;
  }
  standin_publish_root_data(key, all, total);
  free(all);
}

/* 1 if the own block of what the root scatters is known. */
static int take_root_block(uint64_t key, struct standin_comm* comm, int root, void* buffer, int count,
                           MPI_Datatype type) {
  size_t n;
  const char* all = key ? standin_root_data(key, comm, root, &n) : NULL;
  if (!all) return 0;
  for (int i = 0;; i++) {
    uint64_t bytes;
    if (n < 8) return 0;
    __builtin_memcpy(&bytes, all, 8);
    if (n - 8 < bytes) return 0;
    if (i == comm->rank) {
      standin_unpack(buffer, count, type, all + 8, bytes);
      return 1;
    }
    all += 8 + bytes;
    n -= 8 + bytes;
  }
}

/* Both forms of scatter; counts NULL: send_count each. */
static int scatter(const void* send, const int counts[], const int places[], int send_count, MPI_Datatype send_type,
                   void* receive, int count, MPI_Datatype type, int root, struct standin_comm* comm) {
  REFUSE_IF(check_root(comm, root));
  if (standin_plan.together) {
    const struct standin_blocks blocks = {send, counts, places, NULL, send_count, send_type, NULL};
    return standin_together_scatter(&blocks, receive, count, type, root, comm);
  }
  const uint64_t key = standin_rooted_key(comm);
  if (stands_by(comm, root)) return MPI_SUCCESS;
  if (is_root(comm, root)) {
    if (!counts) REFUSE_IF(standin_check_collective(send_count, send_type));
    if (key) publish_blocks(key, comm, send, counts, places, send_count, send_type);
    if (comm->remote_size > 0 || receive == MPI_IN_PLACE) return MPI_SUCCESS;
    REFUSE_IF(standin_check_collective(count, type));
    standin_move(const_block_at(send, places ? places[comm->rank] : (long long)comm->rank * send_count, send_type),
                 counts ? counts[comm->rank] : send_count, send_type, receive, count, type);
    return MPI_SUCCESS;
  }
  REFUSE_IF(standin_check_collective(count, type));
  if (!take_root_block(key, comm, root, receive, count, type))
    standin_note("scatters that are too large or too many to be known: buffers stay as they are");
  return MPI_SUCCESS;
}

int standin_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                    MPI_Datatype type, int root, struct standin_comm* comm) {
  return scatter(send, NULL, NULL, send_count, send_type, receive, count, type, root, comm);
}

int standin_Scatterv(const void* send, const int counts[], const int places[], MPI_Datatype send_type, void* receive,
                     int count, MPI_Datatype type, int root, struct standin_comm* comm) {
  return scatter(send, counts, places, 0, send_type, receive, count, type, root, comm);
}

/* ---- to a root, to all ---- */

/* Blocks of all ranks from the own one; counts NULL: count each. in_place: it stands in its block. */
static void spread(const struct standin_comm* comm, const void* send, int send_count, MPI_Datatype send_type,
                   int in_place, void* receive, const int counts[], const int places[], int count, MPI_Datatype type) {
  struct share share;
  const int me = own(comm);
  if (standin_peers(comm) > 1) standin_note("gathered blocks: every rank is taken to give what this one gives");
  if (in_place)
    share = share_of(block_at(receive, places ? places[me] : (long long)me * count, type), counts ? counts[me] : count,
                     type);
  else
    share = share_of(send, send_count, send_type);
  for (int i = 0; i < standin_peers(comm); i++)
    if (!in_place || i != me)
      give(&share, block_at(receive, places ? places[i] : (long long)i * count, type), counts ? counts[i] : count,
           type);
  release(&share);
}

static int gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                  const int places[], int count, MPI_Datatype type, int root, struct standin_comm* comm) {
  static const struct share nothing;
  REFUSE_IF(check_root(comm, root));
  if (standin_plan.together) {
    const struct standin_blocks blocks = {receive, counts, places, NULL, count, type, NULL};
    return standin_together_gather(send, send_count, send_type, &blocks, root, comm);
  }
  if (stands_by(comm, root)) return MPI_SUCCESS;
  const int in_place = send == MPI_IN_PLACE;
  if (!is_root(comm, root)) {
    REFUSE_IF(standin_check_collective(send_count, send_type));
    return MPI_SUCCESS;
  }
  if (!counts) REFUSE_IF(standin_check_collective(count, type));
  if (comm->remote_size > 0) { /* this rank gives nothing itself */
    for (int i = 0; i < comm->remote_size; i++)
      give(&nothing, block_at(receive, places ? places[i] : (long long)i * count, type), counts ? counts[i] : count,
           type);
    return MPI_SUCCESS;
  }
  if (!in_place) REFUSE_IF(standin_check_collective(send_count, send_type));
  spread(comm, send, send_count, send_type, in_place, receive, counts, places, count, type);
  return MPI_SUCCESS;
}

int standin_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                   MPI_Datatype type, int root, struct standin_comm* comm) {
  return gather(send, send_count, send_type, receive, NULL, NULL, count, type, root, comm);
}

int standin_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                    const int places[], MPI_Datatype type, int root, struct standin_comm* comm) {
  return gather(send, send_count, send_type, receive, counts, places, 0, type, root, comm);
}

int standin_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                      MPI_Datatype type, struct standin_comm* comm) {
  const int in_place = send == MPI_IN_PLACE;
  if (!in_place) REFUSE_IF(standin_check_collective(send_count, send_type));
  REFUSE_IF(standin_check_collective(count, type));
  if (standin_plan.together) {
    const struct standin_blocks blocks = {receive, NULL, NULL, NULL, count, type, NULL};
    return standin_together_gather(send, send_count, send_type, &blocks, -1, comm);
  }
  spread(comm, send, send_count, send_type, in_place, receive, NULL, NULL, count, type);
  return MPI_SUCCESS;
}

int standin_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                       const int places[], MPI_Datatype type, struct standin_comm* comm) {
  const int in_place = send == MPI_IN_PLACE;
  if (!in_place) REFUSE_IF(standin_check_collective(send_count, send_type));
  if (standin_plan.together) {
    const struct standin_blocks blocks = {receive, counts, places, NULL, 0, type, NULL};
    return standin_together_gather(send, send_count, send_type, &blocks, -1, comm);
  }
  spread(comm, send, send_count, send_type, in_place, receive, counts, places, 0, type);
  return MPI_SUCCESS;
}

/* In place everybody's block i is what it sends to i and gets what i sends: what this rank would get is already there.
 */
static void note_exchange(const struct standin_comm* comm) {
  if (standin_peers(comm) > 1) standin_note("all-to-all: every rank is taken to send what it is sent");
}

int standin_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                     MPI_Datatype type, struct standin_comm* comm) {
  REFUSE_IF(standin_check_collective(count, type));
  if (send != MPI_IN_PLACE) REFUSE_IF(standin_check_collective(send_count, send_type));
  if (standin_plan.together) {
    const struct standin_blocks from = {send, NULL, NULL, NULL, send_count, send_type, NULL};
    const struct standin_blocks to = {receive, NULL, NULL, NULL, count, type, NULL};
    return standin_together_alltoall(&from, &to, comm);
  }
  if (send == MPI_IN_PLACE) return MPI_SUCCESS;
  note_exchange(comm);
  for (int i = 0; i < standin_peers(comm); i++)
    standin_move(const_block_at(send, (long long)i * send_count, send_type), send_count, send_type,
                 block_at(receive, (long long)i * count, type), count, type);
  return MPI_SUCCESS;
}

/* With counts for each block. */
static int all_to_all(const struct standin_blocks* send, const struct standin_blocks* receive,
                      struct standin_comm* comm) {
  if (standin_plan.together) return standin_together_alltoall(send, receive, comm);
  if (send->buffer == MPI_IN_PLACE) return MPI_SUCCESS;
  note_exchange(comm);
  for (int i = 0; i < standin_peers(comm); i++) {
    const struct standin_block from = standin_nth_block(send, i), to = standin_nth_block(receive, i);
    struct share share = {NULL, 0, 0};
    if (from.count > 0) share = share_of(from.buffer, from.count, from.type);
    if (to.count > 0) give(&share, to.buffer, to.count, to.type);
    release(&share);
  }
  return MPI_SUCCESS;
}

int standin_Alltoallv(const void* send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
                      void* receive, const int counts[], const int places[], MPI_Datatype type,
                      struct standin_comm* comm) {
  const struct standin_blocks from = {send, send_counts, send_places, NULL, 0, send_type, NULL};
  const struct standin_blocks to = {receive, counts, places, NULL, 0, type, NULL};
  return all_to_all(&from, &to, comm);
}

int standin_Alltoallw(const void* send, const int send_counts[], const int send_places[],
                      const MPI_Datatype send_types[], void* receive, const int counts[], const int places[],
                      const MPI_Datatype types[], struct standin_comm* comm) {
  const struct standin_blocks from = {send, send_counts, send_places, NULL, 0, MPI_BYTE, send_types};
  const struct standin_blocks to = {receive, counts, places, NULL, 0, MPI_BYTE, types};
  return all_to_all(&from, &to, comm);
}

/* ---- reductions ---- */

static int check_reduction(int count, MPI_Datatype type, MPI_Op op) {
  return op == MPI_OP_NULL ? MPI_ERR_OP : standin_check_collective(count, type);
}

static int reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int times,
                  const struct standin_comm* comm) {
  REFUSE_IF(check_reduction(count, type, op));
  if (times > 1) standin_note("reductions: every rank is taken to give what this one gives");
  standin_power(send == MPI_IN_PLACE ? receive : send, receive, count, type, op, times);
  return MPI_SUCCESS;
}

static int reduce_together(enum standin_reduce_kind kind, const void* send, void* receive, int count, MPI_Datatype type,
                           MPI_Op op, int root, long long begin, int taken, struct standin_comm* comm) {
  REFUSE_IF(check_reduction(count, type, op));
  return standin_together_reduce(kind, send, receive, count, type, op, root, begin, taken, comm);
}

int standin_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                   struct standin_comm* comm) {
  REFUSE_IF(check_root(comm, root));
  if (standin_plan.together)
    return reduce_together(STANDIN_REDUCE, send, receive, count, type, op, root, 0, count, comm);
  if (comm->remote_size > 0) {
    if (root == MPI_ROOT && standin_bytes(count, type) <= STANDIN_SMALL) standin_fill(receive, count, type, NULL, 0);
    return MPI_SUCCESS;
  }
  return reduce(send, receive, count, type, op, is_root(comm, root) ? comm->size : 0, comm);
}

int standin_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                      struct standin_comm* comm) {
  if (standin_plan.together)
    return reduce_together(STANDIN_ALLREDUCE, send, receive, count, type, op, 0, 0, count, comm);
  standin_forget_senders_before(comm);
  return reduce(send, receive, count, type, op, standin_peers(comm), comm);
}

int standin_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, struct standin_comm* comm) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  if (standin_plan.together) return reduce_together(STANDIN_SCAN, send, receive, count, type, op, 0, 0, count, comm);
  return reduce(send, receive, count, type, op, comm->rank + 1, comm);
}

int standin_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   struct standin_comm* comm) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  if (standin_plan.together) return reduce_together(STANDIN_EXSCAN, send, receive, count, type, op, 0, 0, count, comm);
  return reduce(send, receive, count, type, op, comm->rank, comm);
}

/* The own block of the operand, `before` elements into it; in place it stands at the beginning of the whole operand and
 * moves to the front. */
static int reduce_block(const void* send, void* receive, long long before, int count, MPI_Datatype type, MPI_Op op,
                        const struct standin_comm* comm) {
  const void* from = send == MPI_IN_PLACE ? receive : send;
  return reduce(const_block_at(from, before, type), receive, count, type, op, standin_peers(comm), comm);
}

int standin_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op,
                           struct standin_comm* comm) {
  long long before = 0;
  for (int i = 0; i < comm->rank; i++) before += counts[i];
  if (standin_plan.together) {
    int all = 0;
    for (int i = 0; i < comm->size; i++) all += counts[i];
    return reduce_together(STANDIN_REDUCE_SCATTER, send, receive, all, type, op, 0, before, counts[comm->rank], comm);
  }
  return reduce_block(send, receive, before, counts[comm->rank], type, op, comm);
}

int standin_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                 struct standin_comm* comm) {
  const long long before = (long long)comm->rank * count;
  if (standin_plan.together)
    return reduce_together(STANDIN_REDUCE_SCATTER, send, receive, count * comm->size, type, op, 0, before, count, comm);
  return reduce_block(send, receive, before, count, type, op, comm);
}
