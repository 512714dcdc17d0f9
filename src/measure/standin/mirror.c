#include "measure/standin/mirror.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/standin/tidings.h"

enum { SLOTS = 128 };

struct sent {
  int peer, tag, taken, known;
  int answered; /* its receiver was named as source of a message of another tag */
  size_t bytes, room;
  char* data;
};

struct mirror {
  uint64_t sent;    /* messages so far: the newest is at (sent - 1) % SLOTS */
  uint64_t first;   /* messages before it were taken or overwritten */
  uint64_t settled; /* messages before it were sent before a collective call that all wait for */
  uint64_t turn;    /* of the other ranks */
  struct sent slots[SLOTS];
};

/* By communicator id, which is never used again. */
static struct mirror** mirrors;
static uint32_t n_mirrors;

static struct mirror* mirror_of(const struct standin_comm* comm) {
  if (comm->id >= n_mirrors) {
    const uint32_t n = comm->id * 2 + 16;
    struct mirror** more = realloc(mirrors, n * sizeof *more);
    if (!more) standin_stop("dry run", "no memory");
    memset(more + n_mirrors, 0, (n - n_mirrors) * sizeof *more);
    mirrors = more;
    n_mirrors = n;
  }
  if (!mirrors[comm->id]) {
    mirrors[comm->id] = standin_alloc(sizeof(struct mirror));
    memset(mirrors[comm->id], 0, sizeof(struct mirror));
  }
  return mirrors[comm->id];
}

static struct sent* at(struct mirror* mirror, uint64_t number) { return &mirror->slots[number % SLOTS]; }

static uint64_t oldest(struct mirror* mirror) {
  if (mirror->sent > SLOTS && mirror->first < mirror->sent - SLOTS) mirror->first = mirror->sent - SLOTS;
  while (mirror->first < mirror->sent && at(mirror, mirror->first)->taken) mirror->first++;
  return mirror->first;
}

void standin_mirror_sent(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                         MPI_Datatype type) {
  struct mirror* mirror = mirror_of(comm);
  struct sent* slot = at(mirror, mirror->sent++);
  slot->peer = peer;
  slot->tag = tag;
  slot->taken = slot->answered = 0;
  slot->bytes = standin_bytes(count, type);
  slot->known = slot->bytes <= STANDIN_SMALL;
  if (!slot->known || slot->bytes == 0) return;
  if (slot->room < slot->bytes) {
    free(slot->data);
    slot->room = slot->bytes < 64 ? 64 : slot->bytes;
    slot->data = standin_alloc(slot->room);
  }
  standin_pack(buffer, count, type, slot->data);
}

/* Who takes anything from anybody gets no answers to what was sent before a barrier. */
static uint64_t first_for(struct mirror* mirror, int source, int tag) {
  const uint64_t first = oldest(mirror);
  return source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG && first < mirror->settled ? mirror->settled : first;
}

void standin_mirror_settle(const struct standin_comm* comm) {
  if (comm->id < n_mirrors && mirrors[comm->id]) mirrors[comm->id]->settled = mirrors[comm->id]->sent;
}

/* 3: to the rank and with the tag asked for; 2: that tag and just as long as the buffer; 1: that tag; 0: no answer. */
static int fits(const struct sent* slot, int source, int tag, size_t capacity) {
  if (slot->taken || slot->bytes > capacity || (tag != MPI_ANY_TAG && slot->tag != tag)) return 0;
  if (source == MPI_ANY_SOURCE || slot->peer == source) return 3;
  return slot->bytes == capacity ? 2 : 1;
}

static struct sent* best(struct mirror* mirror, int source, int tag, size_t capacity) {
  struct sent* found = NULL;
  int found_fit = 0;
  for (uint64_t n = first_for(mirror, source, tag); n < mirror->sent && found_fit < 3; n++) {
    const int fit = fits(at(mirror, n), source, tag, capacity);
    if (fit <= found_fit) continue;
    found = at(mirror, n);
    found_fit = fit;
  }
  return found;
}

/* A message to somebody (source: to that rank) who has not answered in any way: the oldest. */
static struct sent* debtor(struct mirror* mirror, int source) {
  for (uint64_t n = first_for(mirror, MPI_ANY_SOURCE, MPI_ANY_TAG); n < mirror->sent; n++) {
    struct sent* slot = at(mirror, n);
    if (!slot->taken && !slot->answered && (source == MPI_ANY_SOURCE || slot->peer == source)) return slot;
  }
  return NULL;
}

static struct sent* newest_taken(struct mirror* mirror, int source, int tag, size_t capacity) {
  struct sent* found = NULL;
  const uint64_t first = source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG ? mirror->settled : 0;
  for (uint64_t n = mirror->sent; n-- > first && n + SLOTS >= mirror->sent;) {
    struct sent* slot = at(mirror, n);
    if (slot->bytes > capacity || (tag != MPI_ANY_TAG && slot->tag != tag)) continue;
    if (source == MPI_ANY_SOURCE || slot->peer == source) return slot;
    if (!found) found = slot;
  }
  return found;
}

static int next_in_turn(const struct standin_comm* comm, struct mirror* mirror) {
  const int peers = standin_peers(comm);
  if (comm->remote_size > 0) return (int)(mirror->turn++ % (uint64_t)peers);
  if (peers < 2) return comm->rank;
  const int other = (int)(mirror->turn++ % (uint64_t)(peers - 1));
  return other < comm->rank ? other : other + 1;
}

struct standin_reflection standin_mirror_take(const struct standin_comm* comm, int source, int tag, size_t capacity,
                                              int take) {
  struct mirror* mirror = mirror_of(comm);
  struct standin_reflection seen = {source, tag == MPI_ANY_TAG ? 0 : tag, capacity == SIZE_MAX ? 0 : capacity, NULL};
  struct sent* slot = best(mirror, source, tag, capacity);
  if (!slot) {
    struct sent* owes = debtor(mirror, source);
    if (owes) {
      seen.source = owes->peer;
      if (take) owes->answered = 1;
    }
  }
  if (slot) {
    if (source == MPI_ANY_SOURCE) seen.source = slot->peer;
    if (take) slot->taken = 1;
  } else {
    slot = newest_taken(mirror, source, tag, capacity);
  }
  if (take && source == MPI_ANY_SOURCE) standin_note("receives from MPI_ANY_SOURCE: who sent is guessed");
  if (seen.source == MPI_ANY_SOURCE) seen.source = next_in_turn(comm, mirror);
  struct standin_tiding tiding;
  if (standin_told(comm, source, tag, take, &tiding)) {
    seen.tag = tiding.tag;
    seen.bytes = tiding.bytes < capacity ? tiding.bytes : capacity;
    seen.data = tiding.data ? tiding.data : slot && slot->known && slot->bytes >= seen.bytes ? slot->data : NULL;
  } else if (slot) {
    seen.tag = slot->tag;
    seen.bytes = slot->bytes;
    seen.data = slot->known ? slot->data : NULL;
    if (take) standin_note("messages received: taken to be like those that this rank sent");
  } else if (take) {
    standin_note("messages received for which nothing was sent: zeroes, as long as the buffer");
  }
  return seen;
}

int standin_mirror_owes(const struct standin_comm* comm, int source, int tag) {
  struct mirror* mirror = mirror_of(comm);
  for (uint64_t n = first_for(mirror, source, tag); n < mirror->sent; n++) {
    const struct sent* slot = at(mirror, n);
    if (!slot->taken && (tag == MPI_ANY_TAG || slot->tag == tag) && (source == MPI_ANY_SOURCE || slot->peer == source))
      return 1;
  }
  return 0;
}
