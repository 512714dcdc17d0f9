/* A map from handle to a queue of entries in a pool with a free list (request_table.h). */
#include "measure/handles/request_table.h"

#include "measure/call/threads.h"

uint32_t mora_requests_live;
uint64_t mora_request_number;

static struct mora_map by_handle;
static struct mora_request* pool;
static uint32_t capacity, made;
static uint32_t first_free = MORA_ABSENT;

/* Each of several threads has queues of its own, so that none completes a request that another one began. A thread that
 * finds nothing in its own queue takes from another thread's, as programs may hand requests over. */
static uint64_t queue_of(uint64_t key, uint32_t thread) { return key | (uint64_t)(thread & 0x7fff) << 48; }

static uint64_t queue_with(uint64_t key) {
  if (__builtin_expect(!mora_threaded, 1)) return key;
  const uint64_t own = queue_of(key, mora_thread_number);
  if (mora_map_find(&by_handle, own)) return own;
  const uint32_t threads = mora_threads_count();
  for (uint32_t i = 0; i < threads; i++)
    if (mora_map_find(&by_handle, queue_of(key, i))) return queue_of(key, i);
  return own;
}

struct mora_request* mora_request_add(uint64_t key) {
  if (__builtin_expect(mora_threaded, 0)) key = queue_of(key, mora_thread_number);
  uint32_t i = first_free;
  if (i != MORA_ABSENT) {
    first_free = pool[i].next;
  } else {
    if (made == capacity && !mora_reserve((void**)&pool, &capacity, made + 1, sizeof *pool)) return NULL;
    i = made++;
  }
  struct mora_request* request = &pool[i];
  request->next = MORA_ABSENT;
  request->tail = i;
  struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (slot) {
    struct mora_request* first = &pool[slot->value];
    pool[first->tail].next = i;
    first->tail = i;
  } else if (!mora_map_set(&by_handle, key, i)) {
    request->next = first_free;
    first_free = i;
    return NULL;
  }
  return request;
}

struct mora_request* mora_request_made(const struct mora_call* call, MPI_Request request, enum mora_request_kind kind,
                                       int persistent, uint64_t number, uint32_t comm) {
  if (call->rc != MPI_SUCCESS || request == MPI_REQUEST_NULL) return NULL;
  struct mora_request* entry = mora_request_add(MORA_KEY(request));
  if (!entry) return NULL;
  *entry = (struct mora_request){.number = persistent ? 0 : number,
                                 .peer = MORA_PEER_NONE,
                                 .tag = MORA_TAG_ANY,
                                 .comm = comm,
                                 .kind = (uint8_t)kind,
                                 .persistent = (uint8_t)persistent,
                                 .active = (uint8_t)!persistent,
                                 .next = entry->next,
                                 .tail = entry->tail};
  mora_requests_live += !persistent;
  return entry;
}

struct mora_request* mora_request_find(uint64_t key) {
  if (key == 0) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, queue_with(key));
  return slot ? &pool[slot->value] : NULL;
}

void mora_request_remove(uint64_t key) {
  key = queue_with(key);
  struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (!slot) return;
  const uint32_t i = (uint32_t)slot->value;
  const uint32_t next = pool[i].next;
  if (next == MORA_ABSENT) {
    mora_map_remove(&by_handle, key);
  } else {
    pool[next].tail = pool[i].tail;
    slot->value = next;
  }
  pool[i].next = first_free;
  first_free = i;
}
