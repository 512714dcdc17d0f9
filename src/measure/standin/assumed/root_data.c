#define _GNU_SOURCE
#include "measure/standin/assumed/root_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/standin/core/registry.h"
#include "measure/standin/core/shared.h"

enum { MOST_BYTES = 1 << 20, MOST_CALLS = 65536, MOST_ROOTS = 4 };
static const uint64_t most_shared = UINT64_C(2) << 30; /* of the region: then nothing is kept any more */

uint64_t standin_rooted_key(struct standin_comm* comm) {
  if (comm->remote_size > 0 || comm->size < 2 || comm->rooted >= MOST_CALLS) return 0;
  return standin_hash(comm->identity ^ UINT64_C(0x726f6f746564), ++comm->rooted);
}

int standin_root_publishes(const struct standin_comm* comm, size_t bytes) {
  return comm->remote_size == 0 && bytes > 0 && bytes <= MOST_BYTES;
}

void standin_publish_root_data(uint64_t key, const void* bytes, size_t n) {
  if (!key || standin_published(key, standin_world_rank)) return;
  if (!standin_registry_has_room()) { /* processes that wait for it go on when this one ends */
    standin_note("broadcasts: too many for the memory of the dry run, data are unknown");
    return;
  }
  if (n > MOST_BYTES || __atomic_load_n(&standin_shared->used, __ATOMIC_RELAXED) > most_shared) {
    standin_note("broadcasts: too much for the memory of the dry run, data are unknown");
    n = 0;
  }
  const size_t words = 1 + (n + 3) / 4;
  int* message = standin_alloc(words * sizeof *message);
  message[words - 1] = 0;
  message[0] = (int)n;
  if (n > 0) memcpy(message + 1, bytes, n);
  standin_publish(key, message, (int)words);
  free(message);
}

/* 1: this root is one of the MOST_ROOTS whose data this process uses. */
static int is_known_root(int root) {
  static int roots[MOST_ROOTS], n;
  for (int i = 0; i < n; i++)
    if (roots[i] == root) return 1;
  if (n == MOST_ROOTS) return 0;
  roots[n++] = root;
  return 1;
}

const struct standin_contribution* standin_wait_for_contribution(uint64_t key, int root, uint32_t kind) {
  const struct standin_contribution* theirs = standin_published(key, root);
  if (theirs) return theirs;
  struct standin_need* need = standin_shared_alloc(sizeof *need + sizeof *need->ranks);
  if (!need) return NULL;
  need->key = key;
  need->function = standin_progress->function;
  need->kind = kind;
  need->n = 1;
  need->ranks[0] = root;
  const uint64_t where = (uint64_t)((char*)need - (char*)standin_shared);
  standin_progress->waiting = 1;
  while (write(standin_need_pipe, &where, sizeof where) < 0)
    if (errno != EINTR) return NULL;
  for (;;) {
    const uint32_t seen = __atomic_load_n(&standin_shared->events, __ATOMIC_ACQUIRE);
    theirs = standin_published(key, root);
    if (theirs || __atomic_load_n(&need->failed, __ATOMIC_ACQUIRE)) break;
    standin_shared_wait(seen);
  }
  __atomic_store_n(&need->done, 1, __ATOMIC_RELEASE);
  standin_progress->waiting = 0;
  return theirs;
}

const void* standin_root_data(uint64_t key, struct standin_comm* comm, int root, size_t* n) {
  const int world = standin_member(comm, root);
  *n = 0;
  if (!key || world < 0) return NULL;
  if (!is_known_root(world)) {
    standin_note("broadcasts of more than four roots: data of the others are unknown");
    return NULL;
  }
  const struct standin_contribution* theirs = standin_wait_for_contribution(key, world, STANDIN_NEED_ROOT_DATA);
  if (!theirs || theirs->words[0] == 0) {
    standin_note("broadcasts whose root did not get there or had no room: data are unknown");
    return NULL;
  }
  *n = (size_t)theirs->words[0];
  return theirs->words + 1;
}
