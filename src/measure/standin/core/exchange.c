#define _GNU_SOURCE
#include "measure/standin/core/exchange.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/standin/core/heap.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/shared.h"
#include "measure/standin/core/standin_entry.h"

struct mailbox {
  uint64_t newest; /* offset of a message */
  uint32_t events; /* futex */
  uint32_t sleeps;
  int32_t process;
} __attribute__((aligned(64)));

static struct mailbox* mailboxes;
static int failures_in_a_row;

int standin_exchange_start(void) {
  mailboxes = standin_shared_alloc((size_t)standin_plan.world_size * sizeof *mailboxes + 64);
  if (mailboxes) mailboxes = (struct mailbox*)(((uintptr_t)mailboxes + 63) & ~(uintptr_t)63);
  return mailboxes && standin_heap_start();
}

int standin_process_of(int world_rank) { return mailboxes[world_rank].process; }

void standin_exchange_enter(void) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* other ranks may reach this one's memory */
  mailboxes[standin_world_rank].process = getpid();
}

static struct mailbox* own(void) { return &mailboxes[standin_world_rank]; }

/* ---- events ---- */

uint32_t standin_events(void) { return __atomic_load_n(&own()->events, __ATOMIC_SEQ_CST); }
uint32_t standin_events_of(int world_rank) { return __atomic_load_n(&mailboxes[world_rank].events, __ATOMIC_SEQ_CST); }

void standin_wake(int world_rank) {
  struct mailbox* theirs = &mailboxes[world_rank];
  __atomic_add_fetch(&theirs->events, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&theirs->sleeps, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &theirs->events, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void standin_wake_all(void) {
  for (int rank = 0; rank < standin_plan.world_size; rank++) standin_wake(rank);
}

static void wait_for_event(uint32_t seen, const struct timespec* limit) {
  struct mailbox* mine = own();
  const unsigned depth = standin_open_lock();
  __atomic_add_fetch(&mine->sleeps, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&mine->events, __ATOMIC_SEQ_CST) == seen)
    syscall(SYS_futex, &mine->events, FUTEX_WAIT, seen, limit, NULL, 0);
  __atomic_sub_fetch(&mine->sleeps, 1, __ATOMIC_SEQ_CST);
  standin_close_lock(depth);
}

static void answer(struct standin_awaited awaited) {
  struct standin_progress* mine = standin_progress;
  if (__atomic_load_n(&mine->answered, __ATOMIC_RELAXED)) return;
  char rank[16] = "", tag[24] = "";
  if (awaited.world_rank >= 0) snprintf(rank, sizeof rank, " %d", awaited.world_rank);
  if (awaited.tag >= 0) snprintf(tag, sizeof tag, ", tag %d", awaited.tag);
  snprintf(mine->text, sizeof mine->text, "%s%s%s", awaited.what, rank, tag);
  __atomic_store_n(&mine->answered, 1, __ATOMIC_RELEASE);
}

void standin_sleep(uint32_t seen, struct standin_awaited awaited) {
  struct standin_progress* mine = standin_progress;
  failures_in_a_row = 0;
  mine->seen = seen;
  mine->waits_for = awaited.world_rank;
  __atomic_store_n(&mine->waiting, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&standin_shared->stuck, __ATOMIC_SEQ_CST)) answer(awaited);
  wait_for_event(seen, NULL);
  __atomic_store_n(&mine->waiting, 0, __ATOMIC_SEQ_CST);
}

void standin_await_memory(void) {
  const struct timespec moment = {0, 10000000};
  struct standin_progress* mine = standin_progress;
  const struct standin_awaited awaited = {-1, -1, "waits for memory: data under way fill half of it"};
  mine->seen = standin_events();
  mine->waits_for = -1;
  __atomic_store_n(&mine->waiting, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&standin_shared->stuck, __ATOMIC_SEQ_CST)) answer(awaited);
  wait_for_event(mine->seen, &moment);
  __atomic_store_n(&mine->waiting, 0, __ATOMIC_SEQ_CST);
}

void standin_found_nothing(void) {
  if (!standin_plan.together) return;
  if (++failures_in_a_row < 8) {
    const unsigned depth = standin_open_lock();
    sched_yield();
    standin_close_lock(depth);
    return;
  }
  const long most = 1000000, wanted = 1000L * failures_in_a_row;
  const struct timespec moment = {0, wanted < most ? wanted : most};
  wait_for_event(standin_events(), &moment);
}

/* ---- messages ---- */

struct standin_message* standin_message_new(size_t size) {
  struct standin_message* message =
      standin_plan.together ? standin_heap_alloc(sizeof *message + size) : standin_alloc(sizeof *message + size);
  memset(message, 0, sizeof *message);
  message->size = size;
  message->synchronous = -1;
  return message;
}

void standin_message_free(struct standin_message* message) {
  if (!standin_plan.together)
    free(message);
  else if (message->synchronous < 0 || __atomic_sub_fetch(&message->owners, 1, __ATOMIC_ACQ_REL) == 0)
    standin_heap_free(message);
}

void standin_message_received(struct standin_message* message) {
  const int sender = message->synchronous;
  if (sender >= 0) __atomic_store_n(&message->received, 1, __ATOMIC_SEQ_CST);
  standin_message_free(message);
  if (sender >= 0) standin_wake(sender);
}

void standin_message_post(struct standin_message* message, int world_rank) {
  struct mailbox* theirs = &mailboxes[world_rank];
  const uint64_t offset = standin_heap_offset(message);
  uint64_t newest = __atomic_load_n(&theirs->newest, __ATOMIC_RELAXED);
  do message->newer = newest;
  while (!__atomic_compare_exchange_n(&theirs->newest, &newest, offset, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  standin_wake(world_rank);
}

struct standin_message* standin_messages_that_came(void) {
  if (!__atomic_load_n(&own()->newest, __ATOMIC_RELAXED)) return NULL;
  uint64_t offset = __atomic_exchange_n(&own()->newest, 0, __ATOMIC_SEQ_CST);
  struct standin_message* oldest = NULL;
  while (offset) {
    struct standin_message* message = standin_heap_at(offset);
    offset = message->newer;
    message->next = oldest;
    oldest = message;
  }
  if (oldest) failures_in_a_row = 0;
  return oldest;
}

/* ---- what is started ---- */

static _Thread_local int starts_only;
static _Thread_local struct standin_pending* started;

void standin_start_only(void) {
  starts_only = standin_plan.together;
  started = NULL;
}

int standin_starts_only(void) { return starts_only; }

struct standin_pending* standin_what_was_started(void) {
  struct standin_pending* const it = started;
  starts_only = 0;
  started = NULL;
  return it;
}

int standin_settle(struct standin_pending* pending) {
  if (starts_only) {
    started = pending;
    return MPI_SUCCESS;
  }
  for (;;) {
    const uint32_t seen = standin_events();
    if (pending->has_come(pending)) break;
    standin_sleep(seen, pending->awaited(pending));
  }
  free(pending);
  return MPI_SUCCESS;
}
