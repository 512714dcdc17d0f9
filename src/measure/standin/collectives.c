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
 * stay. */
#include <stdlib.h>

#include "functions.h"
#include "measure/standin/assumed_messages.h"
#include "measure/standin/collective.h"
#include "measure/standin/reductions.h"
#include "measure/standin/root_data.h"

/* ---- arguments ---- */

int standin_check_collective(const struct standin_comm* comm, int count, MPI_Datatype type) {
  (void)comm;
  if (count < 0) return MPI_ERR_COUNT;
  return type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
}

static int check_root(const struct standin_comm* comm, int root) {
  if (comm->remote_size > 0 && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
  return root < 0 || root >= standin_peers(comm) ? MPI_ERR_ROOT : MPI_SUCCESS;
}

#define REFUSE_IF(CODE)                                                  \
  do {                                                                   \
    const int wrong = (CODE);                                            \
    if (wrong != MPI_SUCCESS) return standin_error(handle, name, wrong); \
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

int standin_Barrier(MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Barrier(handle);
  standin_forget_senders_before(comm);
  return MPI_SUCCESS;
}

int standin_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm handle) {
  static const char name[] = "MPI_Bcast";
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Bcast(buffer, count, type, root, handle);
  REFUSE_IF(standin_check_collective(comm, count, type));
  REFUSE_IF(check_root(comm, root));
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
    const void* given = standin_root_data(MORA_FN_MPI_Bcast, key, comm, root, &n);
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
static int take_root_block(unsigned function, uint64_t key, struct standin_comm* comm, int root, void* buffer,
                           int count, MPI_Datatype type) {
  size_t n;
  const char* all = key ? standin_root_data(function, key, comm, root, &n) : NULL;
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
static int scatter(const char* name, unsigned function, const void* send, const int counts[], const int places[],
                   int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type, int root,
                   struct standin_comm* comm) {
  const MPI_Comm handle = comm->handle;
  REFUSE_IF(check_root(comm, root));
  const uint64_t key = standin_rooted_key(comm);
  if (stands_by(comm, root)) return MPI_SUCCESS;
  if (is_root(comm, root)) {
    if (!counts) REFUSE_IF(standin_check_collective(comm, send_count, send_type));
    if (key) publish_blocks(key, comm, send, counts, places, send_count, send_type);
    if (comm->remote_size > 0 || receive == MPI_IN_PLACE) return MPI_SUCCESS;
    REFUSE_IF(standin_check_collective(comm, count, type));
    standin_move(const_block_at(send, places ? places[comm->rank] : (long long)comm->rank * send_count, send_type),
                 counts ? counts[comm->rank] : send_count, send_type, receive, count, type);
    return MPI_SUCCESS;
  }
  REFUSE_IF(standin_check_collective(comm, count, type));
  if (!take_root_block(function, key, comm, root, receive, count, type))
    standin_note("scatters that are too large or too many to be known: buffers stay as they are");
  return MPI_SUCCESS;
}

int standin_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                    MPI_Datatype type, int root, MPI_Comm handle) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Scatter(send, send_count, send_type, receive, count, type, root, handle);
  return scatter("MPI_Scatter", MORA_FN_MPI_Scatter, send, NULL, NULL, send_count, send_type, receive, count, type,
                 root, comm);
}

int standin_Scatterv(const void* send, const int counts[], const int places[], MPI_Datatype send_type, void* receive,
                     int count, MPI_Datatype type, int root, MPI_Comm handle) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Scatterv(send, counts, places, send_type, receive, count, type, root, handle);
  return scatter("MPI_Scatterv", MORA_FN_MPI_Scatterv, send, counts, places, 0, send_type, receive, count, type, root,
                 comm);
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

static int gather(const char* name, const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  const int counts[], const int places[], int count, MPI_Datatype type, int root,
                  const struct standin_comm* comm) {
  const MPI_Comm handle = comm->handle;
  static const struct share nothing;
  REFUSE_IF(check_root(comm, root));
  if (stands_by(comm, root)) return MPI_SUCCESS;
  const int in_place = send == MPI_IN_PLACE;
  if (!is_root(comm, root)) {
    REFUSE_IF(standin_check_collective(comm, send_count, send_type));
    return MPI_SUCCESS;
  }
  if (!counts) REFUSE_IF(standin_check_collective(comm, count, type));
  if (comm->remote_size > 0) { /* this rank gives nothing itself */
    for (int i = 0; i < comm->remote_size; i++)
      give(&nothing, block_at(receive, places ? places[i] : (long long)i * count, type), counts ? counts[i] : count,
           type);
    return MPI_SUCCESS;
  }
  if (!in_place) REFUSE_IF(standin_check_collective(comm, send_count, send_type));
  spread(comm, send, send_count, send_type, in_place, receive, counts, places, count, type);
  return MPI_SUCCESS;
}

int standin_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                   MPI_Datatype type, int root, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Gather(send, send_count, send_type, receive, count, type, root, handle);
  return gather("MPI_Gather", send, send_count, send_type, receive, NULL, NULL, count, type, root, comm);
}

int standin_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                    const int places[], MPI_Datatype type, int root, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Gatherv(send, send_count, send_type, receive, counts, places, type, root, handle);
  return gather("MPI_Gatherv", send, send_count, send_type, receive, counts, places, 0, type, root, comm);
}

int standin_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                      MPI_Datatype type, MPI_Comm handle) {
  static const char name[] = "MPI_Allgather";
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Allgather(send, send_count, send_type, receive, count, type, handle);
  const int in_place = send == MPI_IN_PLACE;
  if (!in_place) REFUSE_IF(standin_check_collective(comm, send_count, send_type));
  REFUSE_IF(standin_check_collective(comm, count, type));
  spread(comm, send, send_count, send_type, in_place, receive, NULL, NULL, count, type);
  return MPI_SUCCESS;
}

int standin_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                       const int places[], MPI_Datatype type, MPI_Comm handle) {
  static const char name[] = "MPI_Allgatherv";
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Allgatherv(send, send_count, send_type, receive, counts, places, type, handle);
  const int in_place = send == MPI_IN_PLACE;
  if (!in_place) REFUSE_IF(standin_check_collective(comm, send_count, send_type));
  spread(comm, send, send_count, send_type, in_place, receive, counts, places, 0, type);
  return MPI_SUCCESS;
}

/* In place everybody's block i is what it sends to i and gets what i sends: what this rank would get is already there.
 */
static void note_exchange(const struct standin_comm* comm) {
  if (standin_peers(comm) > 1) standin_note("all-to-all: every rank is taken to send what it is sent");
}

int standin_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                     MPI_Datatype type, MPI_Comm handle) {
  static const char name[] = "MPI_Alltoall";
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Alltoall(send, send_count, send_type, receive, count, type, handle);
  REFUSE_IF(standin_check_collective(comm, count, type));
  if (send == MPI_IN_PLACE) return MPI_SUCCESS;
  REFUSE_IF(standin_check_collective(comm, send_count, send_type));
  note_exchange(comm);
  for (int i = 0; i < standin_peers(comm); i++)
    standin_move(const_block_at(send, (long long)i * send_count, send_type), send_count, send_type,
                 block_at(receive, (long long)i * count, type), count, type);
  return MPI_SUCCESS;
}

int standin_Alltoallv(const void* send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
                      void* receive, const int counts[], const int places[], MPI_Datatype type, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, counts, places, type, handle);
  if (send == MPI_IN_PLACE) return MPI_SUCCESS;
  note_exchange(comm);
  for (int i = 0; i < standin_peers(comm); i++) {
    struct share share = share_of(const_block_at(send, send_places[i], send_type), send_counts[i], send_type);
    give(&share, block_at(receive, places[i], type), counts[i], type);
    release(&share);
  }
  return MPI_SUCCESS;
}

int standin_Alltoallw(const void* send, const int send_counts[], const int send_places[],
                      const MPI_Datatype send_types[], void* receive, const int counts[], const int places[],
                      const MPI_Datatype types[], MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, counts, places, types, handle);
  if (send == MPI_IN_PLACE) return MPI_SUCCESS;
  note_exchange(comm);
  for (int i = 0; i < standin_peers(comm); i++) {
    struct share share = {NULL, 0, 0};
    if (send_counts[i] > 0) share = share_of((const char*)send + send_places[i], send_counts[i], send_types[i]);
    if (counts[i] > 0) give(&share, (char*)receive + places[i], counts[i], types[i]);
    release(&share);
  }
  return MPI_SUCCESS;
}

/* ---- reductions ---- */

static int reduce(const char* name, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int times,
                  MPI_Comm handle) {
  if (count < 0) return standin_error(handle, name, MPI_ERR_COUNT);
  if (type == MPI_DATATYPE_NULL) return standin_error(handle, name, MPI_ERR_TYPE);
  if (op == MPI_OP_NULL) return standin_error(handle, name, MPI_ERR_OP);
  if (times > 1) standin_note("reductions: every rank is taken to give what this one gives");
  standin_power(send == MPI_IN_PLACE ? receive : send, receive, count, type, op, times);
  return MPI_SUCCESS;
}

int standin_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm handle) {
  static const char name[] = "MPI_Reduce";
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Reduce(send, receive, count, type, op, root, handle);
  REFUSE_IF(check_root(comm, root));
  if (comm->remote_size > 0) {
    if (root == MPI_ROOT && standin_bytes(count, type) <= STANDIN_SMALL) standin_fill(receive, count, type, NULL, 0);
    return MPI_SUCCESS;
  }
  return reduce(name, send, receive, count, type, op, is_root(comm, root) ? comm->size : 0, handle);
}

int standin_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Allreduce(send, receive, count, type, op, handle);
  standin_forget_senders_before(comm);
  return reduce("MPI_Allreduce", send, receive, count, type, op, standin_peers(comm), handle);
}

int standin_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Scan(send, receive, count, type, op, handle);
  if (comm->remote_size > 0) return standin_error(handle, "MPI_Scan", MPI_ERR_COMM);
  return reduce("MPI_Scan", send, receive, count, type, op, comm->rank + 1, handle);
}

int standin_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Exscan(send, receive, count, type, op, handle);
  if (comm->remote_size > 0) return standin_error(handle, "MPI_Exscan", MPI_ERR_COMM);
  return reduce("MPI_Exscan", send, receive, count, type, op, comm->rank, handle);
}

/* The own block of the operand, `before` elements into it; in place it stands at the beginning of the whole operand and
 * moves to the front. */
static int reduce_block(const char* name, const void* send, void* receive, long long before, int count,
                        MPI_Datatype type, MPI_Op op, const struct standin_comm* comm) {
  const void* from = send == MPI_IN_PLACE ? receive : send;
  return reduce(name, const_block_at(from, before, type), receive, count, type, op, standin_peers(comm), comm->handle);
}

int standin_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op,
                           MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Reduce_scatter(send, receive, counts, type, op, handle);
  long long before = 0;
  for (int i = 0; i < comm->rank; i++) before += counts[i];
  return reduce_block("MPI_Reduce_scatter", send, receive, before, counts[comm->rank], type, op, comm);
}

int standin_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm handle) {
  const struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Reduce_scatter_block(send, receive, count, type, op, handle);
  return reduce_block("MPI_Reduce_scatter_block", send, receive, (long long)comm->rank * count, count, type, op, comm);
}
