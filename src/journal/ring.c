/* The ring's places, its definitions and its table. Cost of a fold: one look at each record of the chunk, and a look-up
 * in a hash table for each message and collective call. */
#include "journal/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

enum {
  head_words = sizeof(struct mora_record) / 8,
  entry_words = sizeof(struct mora_ring_entry) / 8,
  entries_of_record = (MORA_JOURNAL_BIG_WORDS - head_words) / entry_words,
  runs_of_image = 64
};
enum { totals = 0, unsure = 1 }; /* entries that are always there */

static uint64_t pair(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }
static unsigned words_of(const uint64_t* record) { return (unsigned)(*record >> 32) & 0xffff; }
static unsigned shape_of(const uint64_t* record) { return (unsigned)(*record >> 8) & 0xff; }
static uint64_t* first_of(const struct mora_journal* journal) { return (uint64_t*)(journal->live + 1); }

/* NULL: there is no room for another one. */
static struct mora_ring_entry* entry_of(struct mora_ring* ring, uint64_t object_peer, uint64_t tag_kind) {
  uint64_t hash = object_peer * UINT64_C(0x9e3779b97f4a7c15) ^ tag_kind * UINT64_C(0xc2b2ae3d27d4eb4f);
  hash ^= hash >> 29;
  for (unsigned at = (unsigned)hash % MORA_RING_INDEX;; at = (at + 1) % MORA_RING_INDEX) {
    if (!ring->index[at]) {
      if (ring->entries == ring->most) return NULL;
      struct mora_ring_entry* entry = &ring->table[ring->entries++];
      *entry = (struct mora_ring_entry){object_peer, tag_kind, 0, 0};
      ring->index[at] = (uint16_t)ring->entries;
      return entry;
    }
    struct mora_ring_entry* entry = &ring->table[ring->index[at] - 1];
    if (entry->object_peer == object_peer && entry->tag_kind == tag_kind) return entry;
  }
}

static void count(void* to, uint32_t object, int32_t peer, int32_t tag, enum mora_ring_kind kind, uint64_t first,
                  uint64_t second) {
  struct mora_ring* ring = to;
  struct mora_ring_entry* entry = entry_of(ring, pair(object, (uint32_t)peer), pair((uint32_t)tag, (uint32_t)kind));
  if (entry)
    entry->first += first, entry->second += second;
  else
    ring->table[unsure].second += first + second;
}

static int append_definitions(struct mora_journal* journal, struct iovec* runs, int n, uint64_t bytes) {
  if (n == 0) return 0;
  struct mora_chunk_header header = *journal->live;
  header.used = bytes;
  header.is_last = 0;
  struct iovec parts[runs_of_image + 1] = {{&header, sizeof header}};
  memcpy(parts + 1, runs, (size_t)n * sizeof *runs);
  if (!mora_budget_take(journal->budget, bytes + sizeof header)) return MORA_LOST_BUDGET;
  const int failure = mora_journal_write(journal, parts, n + 1, bytes + sizeof header, journal->file_bytes);
  if (failure == 0) journal->file_bytes += bytes + sizeof header;
  return failure;
}

/* Whether the call may be one that waits for all processes: blocking, of MPI_COMM_WORLD, without a root. */
static uint32_t is_meeting(const uint64_t* record, unsigned shape) {
  return shape == MORA_SHAPE_COLLECTIVE && (uint32_t)record[3] == MORA_COMM_WORLD &&
         !((unsigned)*record & MORA_FLAG_FAILED) && words_of(record) == head_words + 3 &&
         (int32_t)record[head_words] == -1;
}

int mora_ring_fold(struct mora_journal* journal) {
  struct mora_ring* ring = journal->ring;
  struct iovec runs[runs_of_image];
  int n = 0;
  uint64_t bytes = 0;
  for (uint64_t* record = first_of(journal); record < journal->next; record += words_of(record)) {
    const unsigned function = (unsigned)(*record >> 16) & 0xffff, shape = shape_of(record);
    if (function != 0) {
      mora_ring_count(shape, (unsigned)*record & 0xff, (uint32_t)record[3], record + head_words,
                      words_of(record) - head_words, count, ring);
      ring->has_meeting |= is_meeting(record, shape);
    } else if (shape == MORA_SHAPE_RECORDING) {
      ring->table[totals].second++;
    } else if (mora_ring_keeps(shape)) {
      const size_t size = words_of(record) * sizeof *record;
      if (n > 0 && (char*)runs[n - 1].iov_base + runs[n - 1].iov_len == (char*)record) {
        runs[n - 1].iov_len += size;
      } else {
        if (n == runs_of_image) {
          const int failure = append_definitions(journal, runs, n, bytes);
          if (failure) return failure;
          n = 0, bytes = 0;
        }
        runs[n++] = (struct iovec){record, size};
      }
      bytes += size;
    }
  }
  return append_definitions(journal, runs, n, bytes);
}

uint64_t mora_ring_place(const struct mora_journal* journal) {
  const struct mora_ring* ring = journal->ring;
  return ring->first_place + ring->place * journal->chunk_bytes;
}

/* Whether what is newer than the oldest image covers the time, too, from a point at which the experiment can begin. */
static int is_outdated(const struct mora_ring* ring, uint64_t oldest, uint64_t now_ns) {
  const uint64_t age = now_ns - ring->images[oldest].closed_ns;
  if (age >= ring->keep_ns && age - ring->keep_ns >= ring->keep_ns) return 1;
  for (uint64_t at = oldest; at != ring->place;) {
    at = ring->images[at].next;
    if (now_ns - ring->images[at].closed_ns < ring->keep_ns) return 0;
    if (ring->images[at].has_meeting) return 1;
  }
  return 0;
}

static int has_room(struct mora_journal* journal) {
  struct mora_ring* ring = journal->ring;
  if (ring->used == ring->places) return 0;
  if (ring->used >= MORA_RING_LEAST_PLACES) {
    if (__atomic_load_n(&journal->budget->left, __ATOMIC_RELAXED) < journal->chunk_bytes + ring->spare) return 0;
    if (!mora_budget_take(journal->budget, journal->chunk_bytes)) return 0;
  }
  ring->used++;
  return 1;
}

void mora_ring_advance(struct mora_journal* journal) {
  struct mora_ring* ring = journal->ring;
  ring->written++;
  if (ring->keep_ns == 0) {
    ring->place = ring->written % ring->places;
    return;
  }
  struct mora_clock_triple now;
  journal->read_clock(&now);
  struct mora_ring_image* newest = &ring->images[ring->place];
  newest->closed_ns = now.monotonic_ns;
  newest->has_meeting = ring->has_meeting;
  ring->has_meeting = 0;
  const uint64_t oldest = newest->next;
  const int is_replaced = ring->used >= MORA_RING_LEAST_PLACES && is_outdated(ring, oldest, now.monotonic_ns);
  if (!is_replaced && has_room(journal)) {
    newest->next = (uint32_t)(ring->used - 1);
    ring->images[newest->next].next = (uint32_t)oldest;
  }
  ring->place = newest->next;
}

void mora_ring_write_state(struct mora_journal* journal) {
  const struct mora_ring* ring = journal->ring;
  for (unsigned done = 0; done < ring->entries;) {
    const unsigned n = ring->entries - done < entries_of_record ? ring->entries - done : entries_of_record;
    uint64_t* record = journal->next;
    record[1] = record[2] = record[3] = 0;
    memcpy(record + head_words, ring->table + done, n * sizeof *ring->table);
    mora_journal_publish_held(journal, record, head_words + n * entry_words, 0, MORA_SHAPE_RING, 0);
    done += n;
  }
}

int mora_ring_start(struct mora_journal* journal, struct mora_ring* ring, uint64_t places, struct mora_budget* budget) {
  if (places < MORA_RING_LEAST_PLACES) places = MORA_RING_LEAST_PLACES;
  struct mora_ring_header header = {MORA_RING_MAGIC, places, journal->chunk_bytes};
  struct iovec part = {&header, sizeof header};
  const uint64_t taken = ring->keep_ns ? MORA_RING_LEAST_PLACES : places;
  if (!mora_budget_take(budget, sizeof header + taken * journal->chunk_bytes)) return ENOSPC;
  const int failure = mora_journal_write(journal, &part, 1, sizeof header, journal->file_bytes);
  if (failure) return failure;
  ring->first_place = journal->file_bytes + sizeof header;
  ring->places = places;
  ring->used = 1;
  ring->most = journal->chunk_bytes / 8 / sizeof *ring->table;
  if (ring->most > MORA_RING_ENTRIES) ring->most = MORA_RING_ENTRIES;
  entry_of(ring, 0, pair(0, MORA_RING_CALLS));
  entry_of(ring, 0, pair(0, MORA_RING_UNSURE));
  journal->file_bytes = ring->first_place + places * journal->chunk_bytes;
  journal->budget = budget;
  journal->ring = ring;
  mora_ring_write_state(journal);
  return 0;
}
