#define _GNU_SOURCE
#include "measure/standin/core/registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "measure/standin/core/exchange.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/shared.h"
#include "mpi/function_table.h"

/* Hash table with open addressing; entries of one call stand side by side in order of rank. Entries are never removed.
 * A process claims `who` by compare-and-swap and writes `where` afterwards, with release semantics. A key is a 64-bit
 * hash: two keys are taken to be equal if their hashes are. */
struct slot {
  uint64_t who;   /* hash of (key, rank) */
  uint64_t where; /* offset of the contribution, 0 not yet */
};

enum { SLOTS = 1 << 22 };

int standin_need_pipe = -1;
static struct slot* slots;
static uint64_t* taken; /* slots of all processes */

int standin_registry_start(void) {
  slots = standin_shared_alloc(SLOTS * sizeof *slots);
  taken = standin_shared_alloc(sizeof *taken);
  return slots && taken;
}

int standin_registry_has_room(void) { return __atomic_load_n(taken, __ATOMIC_RELAXED) < SLOTS / 2; }

uint64_t standin_hash(uint64_t seed, uint64_t value) {
  uint64_t hash = (seed ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 32) * UINT64_C(0xff51afd7ed558ccd);
  hash ^= hash >> 29;
  return hash ? hash : 1;
}

uint64_t standin_hash_ints(uint64_t seed, const int* values, int n) {
  for (int i = 0; i < n; i++) seed = standin_hash(seed, (uint32_t)values[i] + UINT64_C(1));
  return seed;
}

uint64_t standin_creation_key(struct standin_comm* comm) { return standin_hash(comm->identity, ++comm->collectives); }

/* The slot of (key, rank): NULL if it has none and `claim` is 0, or the table is full. */
static struct slot* find(uint64_t key, int rank, int claim) {
  const uint64_t who = standin_hash(key, (uint64_t)rank + 1);
  for (uint64_t probe = 0; probe < SLOTS; probe++) {
    struct slot* slot = &slots[(key + (uint64_t)rank + probe) % SLOTS];
    uint64_t found = __atomic_load_n(&slot->who, __ATOMIC_ACQUIRE);
    if (found == who) return slot;
    if (found != 0) continue;
    if (!claim) return NULL;
    if (__atomic_compare_exchange_n(&slot->who, &found, who, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || found == who)
      return slot;
  }
  return NULL;
}

const struct standin_contribution* standin_published(uint64_t key, int world_rank) {
  const struct slot* slot = find(key, world_rank, 0);
  const uint64_t where = slot ? __atomic_load_n(&slot->where, __ATOMIC_ACQUIRE) : 0;
  return where ? (const void*)((char*)standin_shared + where) : NULL;
}

uint64_t standin_agree(uint64_t key, uint64_t proposed) {
  struct slot* slot = find(key, 0, 1);
  uint64_t found = 0;
  if (!slot) standin_stop("no room for what ranks agree on: %d agreements and contributions in all", SLOTS);
  return __atomic_compare_exchange_n(&slot->where, &found, proposed, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? proposed
                                                                                                            : found;
}

static void reach_goal(void) {
  struct standin_progress* mine = standin_progress;
  const uint64_t word = STANDIN_SUSPENDED;
  if (!mine->may_suspend) _exit(0);
  mine->suspended = 1;
  __atomic_store_n(&mine->waiting, 1, __ATOMIC_RELEASE);
  if (write(standin_need_pipe, &word, sizeof word) < 0) _exit(0);
  standin_suspend(&mine->suspended);
}

void standin_publish(uint64_t key, const int* words, int n) {
  if (!standin_published(key, standin_world_rank)) {
    struct standin_contribution* mine = standin_shared_alloc(sizeof *mine + (size_t)n * sizeof *words);
    struct slot* slot = mine ? find(key, standin_world_rank, 1) : NULL;
    if (!slot) standin_stop("no room for what ranks contribute: %d contributions or 4 GiB in all", SLOTS);
    __atomic_add_fetch(taken, 1, __ATOMIC_RELAXED);
    mine->n = (uint32_t)n;
    if (n > 0) memcpy(mine->words, words, (size_t)n * sizeof *words);
    __atomic_store_n(&slot->where, (uint64_t)((char*)mine - (char*)standin_shared), __ATOMIC_RELEASE);
    if (standin_plan.together)
      standin_wake_all();
    else
      standin_shared_wake();
  }
  if (standin_progress->auxiliary && standin_progress->goal == key) reach_goal();
}

/* All ranks run: they will come here. */
static void wait_for_published(uint64_t key, const int* ranks, int n) {
  for (int at = 0;;) {
    const uint32_t seen = standin_events();
    while (at < n && standin_published(key, ranks[at])) at++;
    if (at == n) return;
    const struct standin_awaited awaited = {ranks[at], -1, "waits for the arguments of rank"};
    standin_sleep(seen, awaited);
  }
}

void standin_call_for(uint64_t key, const int* ranks, int n) {
  int at = 0;
  while (at < n && standin_published(key, ranks[at])) at++;
  if (at == n) return;
  if (standin_plan.together) {
    wait_for_published(key, ranks, n);
    return;
  }
  int missing = 0;
  for (int i = at; i < n; i++) missing += !standin_published(key, ranks[i]);
  struct standin_need* need = standin_shared_alloc(sizeof *need + (size_t)missing * sizeof *need->ranks);
  if (!need) standin_stop("no room to ask for other ranks");
  need->key = key;
  need->function = standin_progress->function;
  /* others publish meanwhile: ranks that have done so need not be asked for */
  for (int i = at; i < n && (int)need->n < missing; i++)
    if (!standin_published(key, ranks[i])) need->ranks[need->n++] = ranks[i];
  const uint64_t where = (uint64_t)((char*)need - (char*)standin_shared);
  standin_progress->waiting = 1;
  while (write(standin_need_pipe, &where, sizeof where) < 0)
    if (errno != EINTR) standin_stop("the server of the dry run is gone");
  for (;;) {
    const uint32_t seen = __atomic_load_n(&standin_shared->events, __ATOMIC_ACQUIRE);
    while (at < n && standin_published(key, ranks[at])) at++;
    if (at == n) break;
    if (__atomic_load_n(&need->failed, __ATOMIC_ACQUIRE)) standin_stop("%s", need->why);
    standin_shared_wait(seen);
  }
  __atomic_store_n(&need->done, 1, __ATOMIC_RELEASE);
  standin_progress->waiting = 0;
}
