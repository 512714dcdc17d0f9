/* The messages that this rank sent, in a ring of the last 128 per communicator, and what receives take from it
 * (assumed_messages.h). Cost: at most 128 comparisons per receive. */
#include "measure/standin/assumed/assumed_messages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure/standin/assumed/rank0_messages.h"

enum { SLOTS = 128 };

struct sent {
  int peer, tag, taken, known;
  int answered; /* its receiver was named as source of a message of another tag */
  size_t bytes, room;
  char* data;
};

struct sent_log {
  uint64_t sent;           /* messages so far: the newest is at (sent - 1) % SLOTS */
  uint64_t first;          /* messages before it were taken or overwritten */
  uint64_t before_barrier; /* messages before it were sent before the last collective call that all wait for */
  uint64_t turn;           /* counts senders that are named in turn */
  struct sent slots[SLOTS];
};

/* By communicator id; ids are never reused. */
static struct sent_log** logs;
static uint32_t n_logs;

static struct sent_log* log_of(const struct standin_comm* comm) {
  if (comm->id >= n_logs) {
    const uint32_t n = comm->id * 2 + 16;
    struct sent_log** more = realloc(logs, n * sizeof *more);
    if (!more) standin_stop("no memory");
    memset(more + n_logs, 0, (n - n_logs) * sizeof *more);
    logs = more;
    n_logs = n;
  }
  if (!logs[comm->id]) {
    logs[comm->id] = standin_alloc(sizeof(struct sent_log));
    memset(logs[comm->id], 0, sizeof(struct sent_log));
  }
  return logs[comm->id];
}

static struct sent* at(struct sent_log* log, uint64_t number) { return &log->slots[number % SLOTS]; }

static uint64_t oldest(struct sent_log* log) {
  if (log->sent > SLOTS && log->first < log->sent - SLOTS) log->first = log->sent - SLOTS;
  while (log->first < log->sent && at(log, log->first)->taken) log->first++;
  return log->first;
}

void standin_remember_sent(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                           MPI_Datatype type) {
  struct sent_log* log = log_of(comm);
  struct sent* slot = at(log, log->sent++);
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

/* The oldest message that a receive may answer: with MPI_ANY_SOURCE and MPI_ANY_TAG none from before a barrier. */
static uint64_t first_for(struct sent_log* log, int source, int tag) {
  const uint64_t first = oldest(log);
  return source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG && first < log->before_barrier ? log->before_barrier : first;
}

void standin_forget_senders_before(const struct standin_comm* comm) {
  if (comm->id < n_logs && logs[comm->id]) logs[comm->id]->before_barrier = logs[comm->id]->sent;
}

/* 3: to the rank and with the tag asked for; 2: that tag and just as long as the buffer; 1: that tag; 0: no answer. */
static int fits(const struct sent* slot, int source, int tag, size_t capacity) {
  if (slot->taken || slot->bytes > capacity || (tag != MPI_ANY_TAG && slot->tag != tag)) return 0;
  if (source == MPI_ANY_SOURCE || slot->peer == source) return 3;
  return slot->bytes == capacity ? 2 : 1;
}

static struct sent* best(struct sent_log* log, int source, int tag, size_t capacity) {
  struct sent* found = NULL;
  int found_fit = 0;
  for (uint64_t n = first_for(log, source, tag); n < log->sent && found_fit < 3; n++) {
    const int fit = fits(at(log, n), source, tag, capacity);
    if (fit <= found_fit) continue;
    found = at(log, n);
    found_fit = fit;
  }
  return found;
}

/* The oldest message (to `source`, if that is a rank) that no receive has answered, of whatever tag. */
static struct sent* oldest_unanswered(struct sent_log* log, int source) {
  for (uint64_t n = first_for(log, MPI_ANY_SOURCE, MPI_ANY_TAG); n < log->sent; n++) {
    struct sent* slot = at(log, n);
    if (!slot->taken && !slot->answered && (source == MPI_ANY_SOURCE || slot->peer == source)) return slot;
  }
  return NULL;
}

static struct sent* newest_taken(struct sent_log* log, int source, int tag, size_t capacity) {
  struct sent* found = NULL;
  const uint64_t first = source == MPI_ANY_SOURCE && tag == MPI_ANY_TAG ? log->before_barrier : 0;
  for (uint64_t n = log->sent; n-- > first && n + SLOTS >= log->sent;) {
    struct sent* slot = at(log, n);
    if (slot->bytes > capacity || (tag != MPI_ANY_TAG && slot->tag != tag)) continue;
    if (source == MPI_ANY_SOURCE || slot->peer == source) return slot;
    if (!found) found = slot;
  }
  return found;
}

static int next_in_turn(const struct standin_comm* comm, struct sent_log* log) {
  const int peers = standin_peers(comm);
  if (comm->remote_size > 0) return (int)(log->turn++ % (uint64_t)peers);
  if (peers < 2) return comm->rank;
  const int other = (int)(log->turn++ % (uint64_t)(peers - 1));
  return other < comm->rank ? other : other + 1;
}

struct standin_assumed_message standin_assume_message(const struct standin_comm* comm, int source, int tag,
                                                      size_t capacity, int take) {
  struct sent_log* log = log_of(comm);
  struct standin_assumed_message seen = {source, tag == MPI_ANY_TAG ? 0 : tag, capacity == SIZE_MAX ? 0 : capacity,
                                         NULL};
  struct sent* slot = best(log, source, tag, capacity);
  if (!slot) {
    struct sent* unanswered = oldest_unanswered(log, source);
    if (unanswered) {
      seen.source = unanswered->peer;
      if (take) unanswered->answered = 1;
    }
  }
  if (slot) {
    if (source == MPI_ANY_SOURCE) seen.source = slot->peer;
    if (take) slot->taken = 1;
  } else {
    slot = newest_taken(log, source, tag, capacity);
  }
  if (take && source == MPI_ANY_SOURCE) standin_note("receives from MPI_ANY_SOURCE: who sent is guessed");
  if (seen.source == MPI_ANY_SOURCE) seen.source = next_in_turn(comm, log);
  struct standin_rank0_message message;
  if (standin_next_rank0_message(comm, source, tag, take, &message)) {
    seen.tag = message.tag;
    seen.bytes = message.bytes < capacity ? message.bytes : capacity;
    seen.data = message.data ? message.data : slot && slot->known && slot->bytes >= seen.bytes ? slot->data : NULL;
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

int standin_is_unanswered(const struct standin_comm* comm, int source, int tag) {
  struct sent_log* log = log_of(comm);
  for (uint64_t n = first_for(log, source, tag); n < log->sent; n++) {
    const struct sent* slot = at(log, n);
    if (!slot->taken && (tag == MPI_ANY_TAG || slot->tag == tag) && (source == MPI_ANY_SOURCE || slot->peer == source))
      return 1;
  }
  return 0;
}
