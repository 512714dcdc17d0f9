#include "measure/standin/communicators/meeting.h"

#include <string.h>

#include "measure/standin/core/exchange.h"
#include "measure/standin/core/heap.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/core/shared.h"
#include "mpi/function_table.h"

/* Changes of it are atomic operations; gifts are read after `given` says that they are there. */
struct standin_meeting {
  uint64_t next;     /* offset */
  uint64_t result;   /* offset of a gift */
  uint32_t function; /* that the members call; 0 none so far */
  uint32_t come, left, past;
  uint64_t given[]; /* by number: 0 has not come, 1 nothing, else offset */
};

struct standin_gift* standin_gift_new(int parts, const size_t* sizes) {
  uint64_t total = 0;
  for (int i = 0; i < parts; i++) total += sizes[i];
  struct standin_gift* gift =
      standin_heap_alloc(sizeof *gift + ((size_t)parts + 2) * sizeof *gift->ends + (size_t)total);
  gift->n = parts;
  uint64_t end = 0;
  for (int i = 0; i < parts; i++) gift->ends[i] = end += sizes[i];
  return gift;
}

char* standin_gift_part(struct standin_gift* gift, int part, size_t* bytes) {
  if (gift->n == 1) part = 0;
  const uint64_t begin = part > 0 ? gift->ends[part - 1] : 0;
  *bytes = (size_t)(gift->ends[part] - begin);
  const uintptr_t data = ((uintptr_t)(gift->ends + gift->n) + 15) & ~(uintptr_t)15;
  return (char*)data + begin;
}

int standin_members(const struct standin_comm* comm) { return comm->size + comm->remote_size; }

/* Of two groups the one whose first process has the lower world rank comes first. */
static int own_is_first(const struct standin_comm* comm) {
  return comm->remote_size == 0 || standin_member(comm, 0) < comm->remote[0];
}
int standin_number_of_own(const struct standin_comm* comm, int rank) {
  return rank + (own_is_first(comm) ? 0 : comm->remote_size);
}
int standin_number_of_peer(const struct standin_comm* comm, int rank) {
  if (comm->remote_size == 0) return rank;
  return rank + (own_is_first(comm) ? comm->size : 0);
}
int standin_world_rank_of(const struct standin_comm* comm, int number) {
  const int own = number - standin_number_of_own(comm, 0);
  return own >= 0 && own < comm->size ? standin_member(comm, own)
                                      : standin_peer(comm, number - standin_number_of_peer(comm, 0));
}

static struct standin_meeting* new_meeting(const struct standin_comm* comm) {
  const size_t bytes = sizeof(struct standin_meeting) + (size_t)standin_members(comm) * sizeof(uint64_t);
  struct standin_meeting* meeting = standin_heap_alloc(bytes);
  memset(meeting, 0, bytes);
  return meeting;
}

/* Where the list begins: all have left it, none is past it. */
static struct standin_meeting* first_meeting(const struct standin_comm* comm) {
  struct standin_meeting* mine = new_meeting(comm);
  const uint64_t offset = standin_heap_offset(mine);
  const uint64_t agreed = standin_agree(standin_hash(comm->identity, UINT64_C(0x6d656574)), offset);
  if (agreed != offset) standin_heap_free(mine);
  return standin_heap_at(agreed);
}

static struct standin_meeting* after(const struct standin_comm* comm, struct standin_meeting* meeting) {
  uint64_t next = __atomic_load_n(&meeting->next, __ATOMIC_ACQUIRE);
  if (next) return standin_heap_at(next);
  struct standin_meeting* mine = new_meeting(comm);
  const uint64_t offset = standin_heap_offset(mine);
  if (__atomic_compare_exchange_n(&meeting->next, &next, offset, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
  standin_heap_free(mine);
  return standin_heap_at(next);
}

/* `past` counts each member twice: when it has left, and when it has come to the next. */
static void pass(const struct standin_comm* comm, struct standin_meeting* meeting, uint32_t steps) {
  if (__atomic_add_fetch(&meeting->past, steps, __ATOMIC_ACQ_REL) == 2 * (uint32_t)standin_members(comm))
    standin_heap_free(meeting);
}

static void wake_members(const struct standin_comm* comm) {
  for (int i = 0; i < comm->size; i++) standin_wake(standin_member(comm, i));
  for (int i = 0; i < comm->remote_size; i++) standin_wake(comm->remote[i]);
}

static void check_call(const struct standin_comm* comm, struct standin_meeting* meeting) {
  uint32_t theirs = 0;
  const uint32_t mine = standin_progress->function;
  if (__atomic_compare_exchange_n(&meeting->function, &theirs, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
      theirs == mine)
    return;
  int first = 0;
  while (first < standin_members(comm) - 1 && !standin_has_come(meeting, first)) first++;
  standin_stop("another rank (%d, perhaps others) calls %s at this place of the order of collective calls",
               standin_world_rank_of(comm, first), mora_function_name(theirs));
}

struct standin_meeting* standin_meet(struct standin_comm* comm, struct standin_gift* gift, int wakes, int* is_last) {
  const uint32_t all = (uint32_t)standin_members(comm);
  struct standin_meeting *last = comm->meeting, *meeting;
  if (last) {
    meeting = after(comm, last);
    pass(comm, last, 1);
  } else {
    last = first_meeting(comm);
    meeting = after(comm, last);
    pass(comm, last, 2);
  }
  comm->meeting = meeting;
  check_call(comm, meeting);
  const uint64_t offset = gift ? standin_heap_offset(gift) : 1;
  __atomic_store_n(&meeting->given[standin_number_of_own(comm, comm->rank)], offset, __ATOMIC_SEQ_CST);
  *is_last = __atomic_add_fetch(&meeting->come, 1, __ATOMIC_SEQ_CST) == all;
  if (*is_last || wakes) wake_members(comm);
  return meeting;
}

int standin_all_have_come(const struct standin_comm* comm, const struct standin_meeting* meeting) {
  return __atomic_load_n(&meeting->come, __ATOMIC_SEQ_CST) == (uint32_t)standin_members(comm);
}

int standin_has_come(const struct standin_meeting* meeting, int number) {
  return __atomic_load_n(&meeting->given[number], __ATOMIC_SEQ_CST) != 0;
}

struct standin_gift* standin_gift_of(const struct standin_meeting* meeting, int number) {
  const uint64_t offset = __atomic_load_n(&meeting->given[number], __ATOMIC_SEQ_CST);
  return offset > 1 ? standin_heap_at(offset) : NULL;
}

void standin_set_result(const struct standin_comm* comm, struct standin_meeting* meeting, struct standin_gift* result) {
  __atomic_store_n(&meeting->result, standin_heap_offset(result), __ATOMIC_SEQ_CST);
  wake_members(comm);
}

struct standin_gift* standin_result(const struct standin_meeting* meeting) {
  return standin_heap_at(__atomic_load_n(&meeting->result, __ATOMIC_SEQ_CST));
}

void standin_part_from(const struct standin_comm* comm, struct standin_meeting* meeting) {
  const int all = standin_members(comm);
  if (__atomic_add_fetch(&meeting->left, 1, __ATOMIC_ACQ_REL) == (uint32_t)all) {
    for (int i = 0; i < all; i++)
      if (meeting->given[i] > 1) standin_heap_free(standin_heap_at(meeting->given[i]));
    if (meeting->result) standin_heap_free(standin_heap_at(meeting->result));
  }
  pass(comm, meeting, 1);
}

void standin_no_more_meetings(struct standin_comm* comm) {
  if (comm->meeting) pass(comm, comm->meeting, 1);
  comm->meeting = NULL;
}
