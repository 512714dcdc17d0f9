#include "measure/standin/one_sided/together.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "measure/standin/collectives/together.h"
#include "measure/standin/communicators/meeting.h"
#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/heap.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/messages/messages.h"
#include "measure/standin/one_sided/window_target.h"

/* ---- creation ---- */

static void put_wide(int* words, uint64_t value) {
  words[0] = (int)(uint32_t)value;
  words[1] = (int)(uint32_t)(value >> 32);
}
static uint64_t get_wide(const int* words) { return (uint64_t)(uint32_t)words[0] | (uint64_t)(uint32_t)words[1] << 32; }

char* standin_window_shared_memory(struct standin_comm* comm, uint64_t creation, MPI_Aint size) {
  const uint64_t sizes = standin_hash(creation, 10), memory = standin_hash(creation, 11);
  int words[2];
  put_wide(words, (uint64_t)size);
  standin_publish(sizes, words, 2);
  int* members = standin_comm_members(comm);
  standin_call_for(sizes, members, comm->size);
  size_t before = 0, total = 0;
  for (int i = 0; i < comm->size; i++) {
    if (i == comm->rank) before = total;
    total += (size_t)get_wide(standin_published(sizes, members[i])->words);
  }
  if (comm->rank == 0) {
    void* block = standin_heap_alloc(total);
    memset(block, 0, total);
    put_wide(words, standin_heap_offset(block));
    standin_publish(memory, words, 2);
  }
  standin_call_for(memory, members, 1);
  char* block = standin_heap_at(get_wide(standin_published(memory, members[0])->words));
  free(members);
  return block + before;
}

static struct standin_window_target* shared_targets(const struct standin_window* window) {
  const size_t bytes = (size_t)window->comm.size * sizeof(struct standin_window_target);
  struct standin_window_target* mine = standin_heap_alloc(bytes);
  memset(mine, 0, bytes);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  for (int i = 0; i < window->comm.size; i++) pthread_mutex_init(&mine[i].one_at_a_time, &attributes);
  pthread_mutexattr_destroy(&attributes);
  const uint64_t offset = standin_heap_offset(mine);
  const uint64_t agreed = standin_agree(standin_hash(window->comm.identity, 12), offset);
  if (agreed != offset) standin_heap_free(mine);
  return standin_heap_at(agreed);
}

void standin_window_meet(struct standin_window* window, uint64_t creation) {
  int words[5];
  window->comm.identity = standin_hash(creation, 13);
  window->comm.meeting = NULL;
  put_wide(words, (uint64_t)(uintptr_t)window->base);
  put_wide(words + 2, (uint64_t)window->size);
  words[4] = window->unit;
  standin_publish(window->comm.identity, words, 5);
  standin_call_for(window->comm.identity, window->comm.members, window->comm.size);
  if (!window->segments) window->segments = standin_alloc((size_t)window->comm.size * sizeof *window->segments);
  for (int i = 0; i < window->comm.size; i++) {
    const int* theirs = standin_published(window->comm.identity, window->comm.members[i])->words;
    window->segments[i].base = (char*)(uintptr_t)get_wide(theirs);
    window->segments[i].size = (MPI_Aint)get_wide(theirs + 2);
    window->segments[i].unit = theirs[4];
  }
  window->targets = shared_targets(window);
}

void standin_window_part(struct standin_window* window) {
  standin_together_fence(window);
  standin_no_more_meetings(&window->comm);
  if (window->comm.rank != 0) return;
  standin_heap_free(window->targets);
  if (window->creation) standin_heap_free(window->segments[0].base);
  window->creation = 0;
}

/* ---- fences, post to wait ---- */

int standin_together_fence(struct standin_window* window) { return standin_together_barrier(&window->comm); }

enum { POSTED = 1, COMPLETED = 2 };

/* Signals go beside the program's messages. */
static struct standin_comm channel_of(const struct standin_window* window) {
  struct standin_comm channel = window->comm;
  channel.identity = standin_hash(window->comm.identity, 14);
  return channel;
}

static void keep_group(const struct standin_window* window, struct standin_peers* peers, MPI_Group group) {
  int n;
  const int* world = standin_group_members(group, &n);
  free(peers->ranks);
  peers->ranks = standin_alloc((size_t)n * sizeof *peers->ranks);
  peers->n = 0;
  for (int i = 0; i < n; i++)
    for (int rank = 0; rank < window->comm.size; rank++)
      if (window->comm.members[rank] == world[i]) peers->ranks[peers->n++] = rank;
}

static void signal_all(const struct standin_window* window, const struct standin_peers* peers, int what) {
  struct standin_comm channel = channel_of(window);
  for (int i = 0; i < peers->n; i++) standin_send_data(&channel, NULL, 0, MPI_BYTE, peers->ranks[i], what);
}

static void await_all(const struct standin_window* window, struct standin_peers* peers, int what) {
  struct standin_comm channel = channel_of(window);
  for (int i = 0; i < peers->n; i++)
    standin_receive_now(&channel, NULL, 0, MPI_BYTE, peers->ranks[i], what, MPI_STATUS_IGNORE);
}

int standin_together_post(struct standin_window* window, MPI_Group group) {
  keep_group(window, &window->posted, group);
  signal_all(window, &window->posted, POSTED);
  return MPI_SUCCESS;
}

int standin_together_start(struct standin_window* window, MPI_Group group) {
  keep_group(window, &window->started, group);
  await_all(window, &window->started, POSTED);
  return MPI_SUCCESS;
}

int standin_together_complete(struct standin_window* window) {
  signal_all(window, &window->started, COMPLETED);
  window->started.n = 0;
  return MPI_SUCCESS;
}

int standin_together_wait(struct standin_window* window) {
  await_all(window, &window->posted, COMPLETED);
  window->posted.n = 0;
  return MPI_SUCCESS;
}

int standin_together_test(struct standin_window* window, int* flag) {
  const struct standin_comm channel = channel_of(window);
  *flag = 1;
  for (int i = 0; i < window->posted.n && *flag; i++)
    *flag = standin_message_here(&channel, window->posted.ranks[i], COMPLETED, 0) != NULL;
  if (*flag) return standin_together_wait(window);
  standin_found_nothing();
  return MPI_SUCCESS;
}

/* ---- locks ---- */

/* 1: it is held now. */
static int try_lock(struct standin_window_target* target, int exclusive) {
  uint32_t holders = __atomic_load_n(&target->holders, __ATOMIC_SEQ_CST);
  for (;;) {
    const uint32_t wanted = exclusive ? STANDIN_EXCLUSIVE : holders + 1;
    if (exclusive ? holders != 0 : holders == STANDIN_EXCLUSIVE) return 0;
    if (__atomic_compare_exchange_n(&target->holders, &holders, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) break;
  }
  __atomic_store_n(&target->holder, standin_world_rank, __ATOMIC_SEQ_CST);
  return 1;
}

int standin_together_lock(struct standin_window* window, int exclusive, int rank) {
  struct standin_window_target* target = &window->targets[rank];
  for (;;) {
    const uint32_t seen = standin_events();
    if (try_lock(target, exclusive)) return MPI_SUCCESS;
    __atomic_add_fetch(&target->waiting, 1, __ATOMIC_SEQ_CST);
    const int got = try_lock(target, exclusive);
    const struct standin_awaited awaited = {__atomic_load_n(&target->holder, __ATOMIC_SEQ_CST), -1,
                                            "waits for a lock that is held by rank"};
    if (!got) standin_sleep(seen, awaited);
    __atomic_sub_fetch(&target->waiting, 1, __ATOMIC_SEQ_CST);
    if (got) return MPI_SUCCESS;
  }
}

int standin_together_unlock(struct standin_window* window, int rank) {
  struct standin_window_target* target = &window->targets[rank];
  if (__atomic_load_n(&target->holders, __ATOMIC_SEQ_CST) == STANDIN_EXCLUSIVE)
    __atomic_store_n(&target->holders, 0, __ATOMIC_SEQ_CST);
  else
    __atomic_sub_fetch(&target->holders, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&target->waiting, __ATOMIC_SEQ_CST))
    for (int i = 0; i < window->comm.size; i++) standin_wake(window->comm.members[i]);
  return MPI_SUCCESS;
}
