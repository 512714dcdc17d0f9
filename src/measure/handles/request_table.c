/* A place for the first request of each hash, and a map from handle to a queue of entries in a pool with a free list
 * for those whose place is taken (request_table.h). An entry at a place is older than all others of its handle: while
 * the map knows a handle, new ones of it go there. Each thread has a table of its own, so that none completes a request
 * that another one began while handles are equal. A thread that finds nothing in its own takes from the others, as
 * programs may hand requests over: of several the one that was begun first, as a handle that MPI has freed may be
 * another thread's already. */
#include "measure/handles/request_table.h"

struct mora_requests {
  struct mora_request places[1 << MORA_REQUEST_PLACES_LOG];
  struct mora_map by_handle;
  struct mora_request* pool;
  uint32_t capacity, made;
  uint32_t first_free; /* number + 1 in the pool; 0: none */
  uint32_t live;
  char taken; /* its lock, if there are several threads */
};
_Static_assert(offsetof(struct mora_requests, places) == 0, "mora_request_at_place");

static struct mora_requests* hold(struct mora_requests* table) {
  if (__builtin_expect(mora_threaded, 0) && mora_self.thread->held != table) {
    mora_spin_lock(&table->taken);
    mora_self.thread->held = table;
  }
  return table;
}

void mora_requests_release_now(void) {
  struct mora_requests* table = mora_self.thread->held;
  mora_self.thread->held = NULL;
  if (table) mora_spin_unlock(&table->taken);
}

/* Of the thread; made when it is first needed. NULL: no memory. */
static struct mora_requests* own_table(void) {
  struct mora_thread* thread = mora_self.thread;
  if (__builtin_expect(thread->requests == NULL, 0))
    __atomic_store_n(&thread->requests, mora_grow(NULL, 0, sizeof *thread->requests), __ATOMIC_RELEASE);
  return thread->requests;
}

/* The table that the entry is in which was found or added last. */
static struct mora_requests* table_in_use(void) {
  return __builtin_expect(mora_threaded, 0) ? mora_self.thread->held : mora_self.thread->requests;
}

void mora_request_started(struct mora_request* entry, uint64_t number) {
  entry->number = number;
  table_in_use()->live += !entry->active;
  entry->active = 1;
}

void mora_request_rests(struct mora_request* entry) {
  table_in_use()->live--;
  entry->active = entry->cancelled = 0;
}

int mora_requests_are_live(void) {
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before) {
    const struct mora_requests* table = __atomic_load_n(&thread->requests, __ATOMIC_ACQUIRE);
    if (table && __atomic_load_n(&table->live, __ATOMIC_RELAXED) > 0) return 1;
  }
  return 0;
}

static inline struct mora_request* place_of(struct mora_requests* table, uint64_t key) {
  return &table->places[mora_request_place(key)];
}

__attribute__((noinline)) static struct mora_request* queue(struct mora_requests* table, uint64_t key) {
  uint32_t i = table->first_free - 1;
  if (table->first_free) {
    table->first_free = table->pool[i].next;
  } else {
    if (table->made == table->capacity &&
        !mora_reserve((void**)&table->pool, &table->capacity, table->made + 1, sizeof *table->pool))
      return NULL;
    i = table->made++;
  }
  struct mora_request* request = &table->pool[i];
  request->next = MORA_ABSENT;
  request->tail = i;
  struct mora_map_slot* slot = mora_map_find(&table->by_handle, key);
  if (slot) {
    struct mora_request* first = &table->pool[slot->value];
    table->pool[first->tail].next = i;
    first->tail = i;
  } else if (!mora_map_set(&table->by_handle, key, i)) {
    request->next = table->first_free;
    table->first_free = i + 1;
    return NULL;
  }
  return request;
}

static inline struct mora_request* add(struct mora_requests* table, uint64_t key) {
  struct mora_request* place = place_of(table, key);
  if (__builtin_expect(place->key != 0 || mora_map_find(&table->by_handle, key) != NULL, 0)) return queue(table, key);
  place->key = key;
  return place;
}

struct mora_request* mora_request_add(uint64_t key) {
  struct mora_requests* table = own_table();
  return table ? add(hold(table), key) : NULL;
}

struct mora_request* mora_request_made(const struct mora_call* call, MPI_Request request, enum mora_request_kind kind,
                                       int persistent, uint64_t number, uint32_t comm) {
  if (call->rc != MPI_SUCCESS || request == MPI_REQUEST_NULL) return NULL;
  struct mora_requests* table = own_table();
  struct mora_request* entry = table ? add(hold(table), MORA_KEY(request)) : NULL;
  if (!entry) return NULL;
  entry->number = persistent ? 0 : number;
  entry->begun = call->begin;
  entry->bytes = 0;
  entry->peer = MORA_PEER_NONE;
  entry->tag = MORA_TAG_ANY;
  entry->comm = comm;
  entry->kind = (uint8_t)kind;
  entry->persistent = (uint8_t)persistent;
  entry->active = (uint8_t)!persistent;
  entry->cancelled = 0;
  entry->type = 0;
  entry->count = 0;
  table->live += !persistent;
  return entry;
}

__attribute__((always_inline)) static inline struct mora_request* oldest_in(struct mora_requests* table, uint64_t key) {
  struct mora_request* place = place_of(table, key);
  if (__builtin_expect(place->key == key, 1)) return place;
  const struct mora_map_slot* slot = mora_map_find(&table->by_handle, key);
  return slot ? &table->pool[slot->value] : NULL;
}

/* Of the other threads' entries of this handle the one that was begun first. */
__attribute__((noinline)) static struct mora_request* find_elsewhere(uint64_t key) {
  struct mora_requests* found = NULL;
  uint64_t first = UINT64_MAX;
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before) {
    struct mora_requests* table = __atomic_load_n(&thread->requests, __ATOMIC_ACQUIRE);
    if (!table || thread == mora_self.thread) continue;
    hold(table);
    const struct mora_request* entry = oldest_in(table, key);
    const uint64_t begun = !entry ? UINT64_MAX : mora_pattern ? entry->number : entry->begun;
    if (begun < first) {
      found = table;
      first = begun;
    }
    mora_requests_release_now();
  }
  if (!found) return NULL;
  struct mora_request* entry = oldest_in(hold(found), key);
  if (!entry) mora_requests_release_now();
  return entry;
}

struct mora_request* mora_request_find(uint64_t key) {
  if (key == 0) return NULL;
  struct mora_requests* own = mora_self.thread->requests;
  if (own) {
    struct mora_request* entry = oldest_in(hold(own), key);
    if (entry) return entry;
    mora_requests_release();
  }
  return __builtin_expect(mora_threaded, 0) ? find_elsewhere(key) : NULL;
}

void mora_request_remove(uint64_t key) {
  struct mora_requests* table = table_in_use();
  if (!table) return;
  struct mora_request* place = place_of(table, key);
  if (__builtin_expect(place->key == key, 1)) {
    place->key = 0;
    table->live -= place->active;
    return;
  }
  struct mora_map_slot* slot = mora_map_find(&table->by_handle, key);
  if (!slot) return;
  const uint32_t i = (uint32_t)slot->value;
  const uint32_t next = table->pool[i].next;
  table->live -= table->pool[i].active;
  if (next == MORA_ABSENT) {
    mora_map_remove(&table->by_handle, key);
  } else {
    table->pool[next].tail = table->pool[i].tail;
    slot->value = next;
  }
  table->pool[i].next = table->first_free;
  table->first_free = i + 1;
}
