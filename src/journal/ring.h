/* A journal that keeps its newest part (mora record --ring): chunk images stand in a fixed number of places of the
 * file, each new one in that of the oldest.
 *
 * What is forgotten has left two things. Definitions, clocks and notes are appended behind the places, as images of
 * their own, before the chunk that has them is written. And what must be known to count on (how many messages each
 * channel had in each direction, how many collective calls each communicator and window) is a table, which stands as
 * RING records at the head of every chunk: so each chunk, also the live one, has the state before its first record, and
 * nothing has to be kept consistent with anything. Cost: one pass over a chunk when it is full.
 *
 * A ring that keeps a time (`keep_ns`) has the places that this needs and the budget allows. The oldest image is given
 * up when a newer one ended so long ago and has a call on MPI_COMM_WORLD at which the experiment can begin, or when it
 * ended twice as long ago, or when there is no room.
 *
 * The table is bounded. Messages of channels for which it has no room are counted as such; the reader of a ring does
 * not pair them. Source: docs/adr/0016-common-cuts.md. */
#ifndef MORA_JOURNAL_RING_H
#define MORA_JOURNAL_RING_H

#include "journal/journal_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MORA_RING_MAGIC "MORARING"

/* In a ring's file, behind mora_file_header. */
struct mora_ring_header {
  char magic[8];
  uint64_t places;      /* for one chunk image each, from here on */
  uint64_t place_bytes; /* images of definitions follow the places */
};

/* What an entry of the table counts. */
enum mora_ring_kind {
  MORA_RING_CHANNEL = 1,     /* object communicator, peer, tag: messages sent, messages received */
  MORA_RING_COLLECTIVES = 2, /* object communicator: calls, 0 */
  MORA_RING_WINDOW = 3,      /* object window: collective calls, 0 */
  MORA_RING_CALLS = 4,       /* all calls; how often recording was switched */
  MORA_RING_UNSURE = 5       /* messages that were cancelled; those, and calls, for which the table had no room */
};

/* Payload of RING records: as many of these as it has room for. */
struct mora_ring_entry {
  uint64_t object_peer; /* pair(object, peer) */
  uint64_t tag_kind;    /* pair(tag, enum mora_ring_kind) */
  uint64_t first, second;
};

/* Of a ring that keeps a time: what stands in a place. */
struct mora_ring_image {
  uint64_t closed_ns; /* monotonic: when the next began */
  uint32_t next;      /* place of the next newer one; of the newest: of the oldest */
  uint32_t has_meeting;
};

enum { MORA_RING_ENTRIES = 1 << 12, MORA_RING_INDEX = 1 << 14, MORA_RING_LEAST_PLACES = 3 };

struct mora_ring {
  uint64_t first_place; /* where it begins in the file */
  uint64_t places;
  uint64_t place;                 /* of the live chunk's image */
  uint64_t written;               /* images, ever */
  uint64_t keep_ns;               /* 0: what the places hold */
  uint64_t used;                  /* places, of those for which the budget has given their bytes */
  uint64_t spare;                 /* bytes of the budget that are for definitions */
  struct mora_ring_image* images; /* with keep_ns, as many as places */
  uint32_t has_meeting;           /* the live chunk, as far as it was folded */
  unsigned most;                  /* entries that this ring may have: an eighth of a chunk */
  unsigned entries;
  struct mora_ring_entry table[MORA_RING_ENTRIES];
  uint16_t index[MORA_RING_INDEX]; /* by hash of the key: place in the table, from 1 */
};

/* Makes a journal that has no record yet a ring of so many places, three at least. `ring`: zeroed, but for keep_ns,
 * spare and images, which has room for so many. `budget` has the places' bytes taken from it (with keep_ns of three, of
 * the others as they are needed), and those of definitions as they come; when it has no room for these, recording stops
 * (MORA_LOST_BUDGET). Returns 0, or why it cannot: then the journal is unchanged. */
int mora_ring_start(struct mora_journal* journal, struct mora_ring* ring, uint64_t places, struct mora_budget* budget);

/* For journal_writer.c. The live chunk is to be written: its definitions are put behind the places, its calls counted.
 * Returns 0, errno or MORA_LOST_BUDGET. */
int mora_ring_fold(struct mora_journal* journal);

/* Where its image goes. */
uint64_t mora_ring_place(const struct mora_journal* journal);

/* Its image is written: chooses the place of the next. */
void mora_ring_advance(struct mora_journal* journal);

/* At the head of a new chunk. */
void mora_ring_write_state(struct mora_journal* journal);

typedef void mora_ring_add(void* to, uint32_t object, int32_t peer, int32_t tag, enum mora_ring_kind kind,
                           uint64_t first, uint64_t second);

/* What the record of a call adds to the table; the one rule for the writer and the reader. `words`: of the payload. */
static inline void mora_ring_count(unsigned shape, unsigned flags, uint32_t object, const uint64_t* payload,
                                   unsigned words, mora_ring_add* add, void* to) {
  const int is_start = shape == MORA_SHAPE_START;
  if (shape != MORA_SHAPE_VECTOR && !(flags & (MORA_FLAG_CONTINUED | MORA_FLAG_OPEN)))
    add(to, 0, 0, 0, MORA_RING_CALLS, shape == MORA_SHAPE_POLLS ? payload[0] : 1, 0);
  if (is_start || shape == MORA_SHAPE_COMPLETE) { /* what moved, also in a failed call */
    for (unsigned i = 0; i + 4 <= words; i += 4) {
      const int32_t peer = (int32_t)payload[i + 1], tag = (int32_t)(payload[i + 1] >> 32);
      const int kind = (int)(payload[i + 3] >> 32);
      if (payload[i] == 0) continue;
      if (kind == MORA_CANCELLED) add(to, 0, 0, 0, MORA_RING_UNSURE, 1, 0);
      if (peer >= 0 && kind == (is_start ? MORA_COMPLETED_SEND : MORA_COMPLETED_RECV))
        add(to, (uint32_t)payload[i + 3], peer, tag, MORA_RING_CHANNEL, is_start ? 1 : 0, is_start ? 0 : 1);
    }
    return;
  }
  if (flags & (MORA_FLAG_FAILED | MORA_FLAG_NO_PEER)) return;
  const int is_send = shape == MORA_SHAPE_SEND || shape == MORA_SHAPE_ISEND;
  if (is_send || shape == MORA_SHAPE_RECV || shape == MORA_SHAPE_SENDRECV) {
    const int32_t peer = (int32_t)payload[0], tag = (int32_t)(payload[0] >> 32);
    if (peer >= 0)
      add(to, object, peer, tag, MORA_RING_CHANNEL, shape == MORA_SHAPE_RECV ? 0 : 1, shape == MORA_SHAPE_RECV ? 1 : 0);
  }
  if (shape == MORA_SHAPE_SENDRECV && (int32_t)payload[2] >= 0)
    add(to, object, (int32_t)payload[2], (int32_t)(payload[2] >> 32), MORA_RING_CHANNEL, 0, 1);
  if (shape == MORA_SHAPE_COLLECTIVE) add(to, object, 0, 0, MORA_RING_COLLECTIVES, 1, 0);
  if (shape == MORA_SHAPE_WIN_COLLECTIVE) add(to, object, 0, 0, MORA_RING_WINDOW, 1, 0);
}

/* Whether the conversion needs a record of this shape also where the part of the recording that holds it is gone. */
static inline int mora_ring_keeps(unsigned shape) {
  switch (shape) {
    case MORA_SHAPE_DEFINE_COMM:
    case MORA_SHAPE_FREE_COMM:
    case MORA_SHAPE_DEFINE_GROUP:
    case MORA_SHAPE_DEFINE_WIN:
    case MORA_SHAPE_DEFINE_FILE:
    case MORA_SHAPE_NAME:
    case MORA_SHAPE_DEFINE_MARK:
    case MORA_SHAPE_DEFINE_STACK:
    case MORA_SHAPE_DEFINE_PATH:
    case MORA_SHAPE_DEFINE_FUNCTION:
    case MORA_SHAPE_DEFINE_PLACE:
    case MORA_SHAPE_DEFINE_COUNTER:
    case MORA_SHAPE_DEFINE_GRID:
    case MORA_SHAPE_CLOCK:
    case MORA_SHAPE_CLOCK_OFFSET:
    case MORA_SHAPE_NOTE:
    case MORA_SHAPE_PROCESSORS:
    case MORA_SHAPE_USAGE:
      return 1;
    default:
      return 0;
  }
}

#ifdef __cplusplus
}
#endif

#endif
