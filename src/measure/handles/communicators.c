/* Definitions of communicators and groups, and their identity across processes (communicators.h). A group is identified
 * by a hash of its members; a communicator by its parent and ordinal, or, where the parent takes no part as a whole, by
 * a hash of kind, parent, members and tag, and the number of equal ones before. */
#include "measure/handles/communicators.h"

#include <string.h>

#include "measure/call/sink.h"
#include "measure/call/threads.h"

static struct mora_map by_handle; /* handle → entry */
static struct mora_map ordinals;  /* hash of (kind, parent, members, tag) → how many so far */
static struct mora_map groups;    /* hash of the members → group id */
static struct mora_pool entries;
static uint32_t next_id, next_group;
static MPI_Group world_group;
static int *ranks_in, *ranks_out, *members;
static uint32_t in_capacity, out_capacity, members_capacity;
struct mora_comm mora_comm_none;

static const int* translate(MPI_Group group, int n) {
  if (!mora_reserve((void**)&ranks_out, &out_capacity, (uint32_t)n + 1, sizeof(int))) return NULL;
  const uint32_t filled = in_capacity;
  if (!mora_reserve((void**)&ranks_in, &in_capacity, (uint32_t)n + 1, sizeof(int))) return NULL;
  for (uint32_t i = filled; i < in_capacity; i++) ranks_in[i] = (int)i;
  if (n > 0 && PMPI_Group_translate_ranks(group, n, ranks_in, world_group, ranks_out) != MPI_SUCCESS) return NULL;
  for (int i = 0; i < n; i++)
    if (ranks_out[i] == MPI_UNDEFINED) ranks_out[i] = -1;
  return ranks_out;
}

/* World ranks of an MPI group, in group order, -1 outside MPI_COMM_WORLD; in scratch memory. NULL without memory. */
static const int* world_ranks(MPI_Group group, int* n) {
  *n = 0;
  if (group == MPI_GROUP_NULL || PMPI_Group_size(group, n) != MPI_SUCCESS) return NULL;
  return translate(group, *n);
}

static uint64_t hash_of(uint64_t seed, const int* values, uint32_t n) {
  uint64_t hash = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t i = 0; i < n; i++)
    hash = (hash ^ (uint32_t)values[i]) * UINT64_C(0xff51afd7ed558ccd), hash ^= hash >> 29;
  return hash ? hash : 1;
}

/* A definition: `head` words, then `n` ranks, two per word, in as many records as it takes. */
static void write_definition(unsigned shape, uint32_t object, const uint64_t* head, unsigned heads, const int* ranks,
                             uint32_t n) {
  const uint64_t now = mora_ticks();
  uint32_t done = 0;
  unsigned more;
  do {
    unsigned words = (n - done + 1) / 2;
    more = words > MORA_JOURNAL_BIG_WORDS - 4 - heads;
    if (more) words = MORA_JOURNAL_BIG_WORDS - 4 - heads;
    uint64_t* record = mora_journal_big(mora_self.journal, 4 + heads + words);
    record[1] = now;
    record[2] = 0;
    record[3] = object;
    for (unsigned i = 0; i < heads; i++) record[4 + i] = head[i];
    for (unsigned i = 0; i < words; i++, done += 2)
      record[4 + heads + i] = mora_pair(ranks[done], done + 1 < n ? ranks[done + 1] : 0);
    mora_journal_publish(mora_self.journal, record, 4 + heads + words, 0, shape, more ? MORA_FLAG_CONTINUED : 0);
    heads = 0;
  } while (more);
}

static struct mora_comm* add(MPI_Comm comm) {
  const uint64_t key = MORA_KEY(comm);
  const struct mora_map_slot* old = mora_map_find(&by_handle, key); /* it was freed by a call that was not seen */
  struct mora_comm* entry = old ? (struct mora_comm*)(uintptr_t)old->value : mora_pool_take(&entries, sizeof *entry);
  if (!entry || !mora_map_set(&by_handle, key, (uint64_t)(uintptr_t)entry)) return NULL;
  *entry = (struct mora_comm){.key = key, .id = next_id++};
  return mora_self.last_comm = entry;
}

/* Writes the members of both sides into `members`. 0: an MPI call failed, or no memory. */
static int collect(MPI_Comm comm, struct mora_comm* entry, int* outside) {
  int inter = 0, n = 0;
  *outside = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  PMPI_Comm_rank(comm, &entry->rank);
  for (int side = 0; side <= inter; side++) {
    MPI_Group group;
    if ((side ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group)) != MPI_SUCCESS) return 0;
    const int* ranks = world_ranks(group, &n);
    PMPI_Group_free(&group);
    const int before = side ? entry->local_size : 0;
    if (!ranks || !mora_reserve((void**)&members, &members_capacity, (uint32_t)(before + n) + 1, sizeof(int))) return 0;
    for (int i = 0; i < n; i++) {
      members[before + i] = ranks[i];
      *outside |= ranks[i] < 0;
    }
    if (side)
      entry->remote_size = n;
    else
      entry->local_size = n;
  }
  return 1;
}

static uint32_t define(struct mora_comm* entry, uint32_t parent, uint32_t ordinal, enum mora_comm_kind kind, int key) {
  const uint64_t head[3] = {mora_pair((int32_t)parent, (int32_t)ordinal), mora_pair((int32_t)kind, entry->local_size),
                            mora_pair(entry->remote_size, key)};
  write_definition(MORA_SHAPE_DEFINE_COMM, entry->id, head, 3, members,
                   (uint32_t)(entry->local_size + entry->remote_size));
  return entry->id;
}

static uint32_t add_and_define(MPI_Comm comm, uint32_t parent, uint32_t ordinal, enum mora_comm_kind kind, int key) {
  struct mora_comm* entry = add(comm);
  int outside;
  if (!entry || !collect(comm, entry, &outside)) return MORA_NO_COMM;
  if (outside)
    kind = MORA_COMM_DYNAMIC;
  else if (kind == MORA_COMM_COLLECTIVE && entry->remote_size > 0)
    kind = MORA_COMM_INTER;
  return define(entry, parent, ordinal, kind, key);
}

void mora_comms_start(void) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  add_and_define(MPI_COMM_WORLD, MORA_NO_COMM, 0, MORA_COMM_WORLD, 0);
  add_and_define(MPI_COMM_SELF, MORA_NO_COMM, 0, MORA_COMM_SELF, 0);
}

static struct mora_comm* search(uint64_t key, int may_define) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (slot) return mora_self.last_comm = (struct mora_comm*)(uintptr_t)slot->value;
#ifdef OPEN_MPI
  MPI_Comm comm = (MPI_Comm)(uintptr_t)key;
#else
  MPI_Comm comm = (MPI_Comm)(uint32_t)key;
#endif
  if (!may_define || comm == MPI_COMM_NULL ||
      add_and_define(comm, MORA_NO_COMM, 0, MORA_COMM_UNSEEN, 0) == MORA_NO_COMM)
    return NULL;
  return mora_self.last_comm;
}

struct mora_comm* mora_comm_search(uint64_t key, int may_define) {
  mora_threads_lock();
  struct mora_comm* entry = search(key, may_define);
  mora_threads_unlock();
  return entry;
}

/* The Cartesian topology of a new communicator: extents and this process's place. Grids of more dimensions than this
 * are not recorded. */
static void define_grid(MPI_Comm comm, uint32_t id) {
  enum { most = 16 };
  int topology = MPI_UNDEFINED, n = 0, extents[most], periods[most], at[most];
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_CART) return;
  if (PMPI_Cartdim_get(comm, &n) != MPI_SUCCESS || n < 1 || n > most) return;
  if (PMPI_Cart_get(comm, n, extents, periods, at) != MPI_SUCCESS) return;
  uint64_t* record = mora_journal_big(mora_self.journal, (uint32_t)(5 + 2 * n));
  record[1] = mora_ticks();
  record[2] = 0;
  record[3] = id;
  record[4] = (uint64_t)n;
  for (int d = 0; d < n; d++) {
    record[5 + 2 * d] = mora_pair(extents[d], periods[d] != 0);
    record[6 + 2 * d] = mora_pair(at[d], 0);
  }
  mora_journal_publish(mora_self.journal, record, (uint32_t)(5 + 2 * n), 0, MORA_SHAPE_DEFINE_GRID, 0);
}

static uint32_t made(MPI_Comm parent, MPI_Comm comm) {
  struct mora_comm* from = mora_comm_of(parent);
  if (!from) return MORA_NO_COMM;
  const uint32_t ordinal = from->children++, parent_id = from->id;
  if (comm == MPI_COMM_NULL) return MORA_NO_COMM;
  const uint32_t id = add_and_define(comm, parent_id, ordinal, MORA_COMM_COLLECTIVE, 0);
  if (id != MORA_NO_COMM) define_grid(comm, id);
  return id;
}

uint32_t mora_comm_made(MPI_Comm parent, MPI_Comm comm) {
  mora_threads_lock();
  const uint32_t id = made(parent, comm);
  mora_threads_unlock();
  return id;
}

static uint32_t duplicated(MPI_Comm parent, MPI_Comm comm) {
  struct mora_comm* from = mora_comm_of(parent);
  if (!from || comm == MPI_COMM_NULL) return MORA_NO_COMM;
  const uint32_t ordinal = from->children++;
  const struct mora_comm parent_entry = *from;
  int outside;
  struct mora_comm again = parent_entry;
  if (!collect(parent, &again, &outside)) return MORA_NO_COMM;
  struct mora_comm* entry = add(comm);
  if (!entry) return MORA_NO_COMM;
  entry->local_size = again.local_size;
  entry->remote_size = again.remote_size;
  entry->rank = again.rank;
  return define(entry, parent_entry.id, ordinal,
                outside                 ? MORA_COMM_DYNAMIC
                : again.remote_size > 0 ? MORA_COMM_INTER
                                        : MORA_COMM_COLLECTIVE,
                0);
}

uint32_t mora_comm_duplicated(MPI_Comm parent, MPI_Comm comm) {
  mora_threads_lock();
  const uint32_t id = duplicated(parent, comm);
  mora_threads_unlock();
  return id;
}

static uint32_t made_aside(MPI_Comm parent, MPI_Comm comm, enum mora_comm_kind kind, int tag) {
  if (comm == MPI_COMM_NULL) return MORA_NO_COMM;
  const struct mora_comm* from = parent == MPI_COMM_NULL ? NULL : mora_comm_of(parent);
  const uint32_t parent_id = from && kind == MORA_COMM_GROUP ? from->id : MORA_NO_COMM;
  struct mora_comm* entry = add(comm);
  int outside;
  if (!entry || !collect(comm, entry, &outside)) return MORA_NO_COMM;
  if (outside) kind = MORA_COMM_DYNAMIC;
  /* Both sides of an inter-communicator must count equally: the two halves of its hash commute. */
  const uint32_t n = (uint32_t)entry->local_size, m = (uint32_t)entry->remote_size;
  const uint64_t seed = ((uint64_t)parent_id << 32 | (uint32_t)tag) * 31 + kind;
  uint64_t hash = hash_of(seed, members, n);
  if (m > 0) hash ^= hash_of(seed, members + n, m);
  if (hash == 0) hash = 1;
  const struct mora_map_slot* slot = mora_map_find(&ordinals, hash);
  const uint32_t ordinal = slot ? (uint32_t)slot->value : 0;
  mora_map_set(&ordinals, hash, ordinal + 1);
  return define(entry, parent_id, ordinal, kind, tag);
}

uint32_t mora_comm_made_aside(MPI_Comm parent, MPI_Comm comm, enum mora_comm_kind kind, int tag) {
  mora_threads_lock();
  const uint32_t id = made_aside(parent, comm, kind, tag);
  mora_threads_unlock();
  return id;
}

uint32_t mora_comm_made_dynamic(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return MORA_NO_COMM;
  mora_threads_lock();
  const uint32_t id = add_and_define(comm, MORA_NO_COMM, 0, MORA_COMM_DYNAMIC, 0);
  mora_threads_unlock();
  return id;
}

static void forget(uint64_t key, uint32_t id) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  struct mora_comm* entry = slot ? (struct mora_comm*)(uintptr_t)slot->value : NULL;
  if (!entry || entry->id != id) return; /* another thread was given the handle again already */
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, id);
  mora_publish_fact(record, 4, MORA_SHAPE_FREE_COMM);
  mora_map_remove(&by_handle, key);
  mora_pool_give(&entries, entry, sizeof *entry);
}

void mora_comm_forget(uint64_t key, uint32_t id) {
  mora_threads_lock();
  forget(key, id);
  mora_threads_unlock();
}

static uint32_t group_id(MPI_Group group) {
  int n;
  const int* ranks = world_ranks(group, &n);
  if (!ranks) return UINT32_MAX;
  const uint64_t hash = hash_of((uint64_t)n, ranks, (uint32_t)n);
  const struct mora_map_slot* slot = mora_map_find(&groups, hash);
  if (slot) return (uint32_t)slot->value;
  const uint32_t id = next_group++;
  if (!mora_map_set(&groups, hash, id)) return UINT32_MAX;
  const uint64_t head = mora_pair(n, 0);
  write_definition(MORA_SHAPE_DEFINE_GROUP, id, &head, 1, ranks, (uint32_t)n);
  return id;
}

uint32_t mora_group_id(MPI_Group group) {
  mora_threads_lock();
  const uint32_t id = group_id(group);
  mora_threads_unlock();
  return id;
}
