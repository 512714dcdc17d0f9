/* A profile in the place of a journal: what calls add up to, by function and call path (mora record --stats).
 *
 * The live chunk has two parts. In the first stand PROFILE records, one for each function and place that was seen, and
 * copies of what they need (DEFINE_STACK, clocks, notes); in the second the newest records, as in every journal. When
 * the second part is full, each of its records is added to its PROFILE record, or copied, or forgotten, and the part is
 * empty again. So what a call costs while it is made is as in a journal, and the live chunk has the whole profile at
 * any instant: what was added already is marked as FOLDED. If the first part is full, it is appended to the file, and
 * begins anew; sums of one key may therefore stand in several records. After MORA_PROFILE_IMAGES of these, calls from
 * places that are new are added up by function alone (NOTE_PROFILE_FULL): memory and file keep their bounds.
 *
 * Forgotten are: definitions of communicators, windows, files and marks, samples, what readings say, teams.
 * A process that is killed while the first part is appended (microseconds) loses what the second part holds; one that
 * is killed between an addition and its mark has one record twice. */
#ifndef MORA_JOURNAL_PROFILE_H
#define MORA_JOURNAL_PROFILE_H

#include "journal/journal_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MORA_PROFILE_CHUNK_BYTES = 1 << 16,
  MORA_PROFILE_IMAGES = 16,
  MORA_PROFILE_PLACES = 1 << 10 /* of the index: more than PROFILE records fit */
};

/* What a PROFILE record says (its payload), or what one record adds to it. */
struct mora_amounts {
  uint64_t visits;
  uint64_t ticks;       /* the sum; modulo 2^64 of PROFILE_OFF */
  uint64_t least, most; /* ticks of a single call; a row of polls is one */
  uint64_t bytes_sent, bytes_received;
  uint64_t messages_sent, messages_received; /* of one-sided transfers, sent: their number */
  uint64_t records;                          /* a row of polls is one */
};

/* Sites of PROFILE records without function. */
enum {
  MORA_PROFILE_RECORDER = 0, /* the recorder's own time */
  MORA_PROFILE_OFF = 1,      /* recording was off; of an odd number of visits: until the end, whose ticks are missing */
  MORA_PROFILE_READINGS = 2  /* CORE records: their number */
};

struct mora_profile {
  uint64_t* rest;    /* behind the last record of the first part; a FOLDED record there fills it */
  uint64_t* newest;  /* begin of the second part */
  uint64_t kept;     /* records in the first part */
  uint64_t appended; /* in the file */
  unsigned images;
  int is_full;
  uint16_t index[MORA_PROFILE_PLACES]; /* by key: place of the PROFILE record in words, from 1 */
};

/* What the record of a call adds. `words`: of the payload. */
static inline struct mora_amounts mora_profile_amounts(unsigned shape, unsigned flags, uint64_t duration,
                                                       const uint64_t* payload, unsigned words) {
  struct mora_amounts a = {0, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0};
  if (shape == MORA_SHAPE_VECTOR || (flags & MORA_FLAG_OPEN)) return a; /* a call that returns has another record */
  if (!(flags & MORA_FLAG_CONTINUED)) {
    a.visits = shape == MORA_SHAPE_POLLS ? payload[0] : 1;
    a.ticks = a.least = a.most = duration;
    a.records = 1;
  }
  const int is_message = !(flags & (MORA_FLAG_NO_PEER | MORA_FLAG_FAILED));
  switch (shape) {
    case MORA_SHAPE_SEND:
    case MORA_SHAPE_ISEND:
      if (!is_message) break;
      a.messages_sent = 1;
      a.bytes_sent = payload[1];
      break;
    case MORA_SHAPE_RECV:
      if (!is_message) break;
      a.messages_received = 1;
      a.bytes_received = payload[1];
      break;
    case MORA_SHAPE_SENDRECV:
      if (flags & MORA_FLAG_FAILED) break;
      if ((int32_t)payload[0] >= 0) a.messages_sent = 1, a.bytes_sent = payload[1];
      if ((int32_t)payload[2] >= 0) a.messages_received = 1, a.bytes_received = payload[3];
      break;
    case MORA_SHAPE_COMPLETE:
    case MORA_SHAPE_START:
      for (unsigned i = 0; i + 4 <= words; i += 4) {
        const unsigned kind = (unsigned)(payload[i + 3] >> 32);
        if (payload[i] == 0 || (int32_t)payload[i + 1] < 0) continue;
        if (shape == MORA_SHAPE_COMPLETE && kind == MORA_COMPLETED_RECV)
          a.messages_received++, a.bytes_received += payload[i + 2];
        if (shape == MORA_SHAPE_START && kind == MORA_COMPLETED_SEND) a.messages_sent++, a.bytes_sent += payload[i + 2];
      }
      break;
    case MORA_SHAPE_RMA:
    case MORA_SHAPE_SHMEM_TRANSFER:
      if ((int32_t)payload[0] < 0 || (flags & MORA_FLAG_FAILED)) break;
      a.messages_sent = 1;
      a.bytes_sent = payload[1];
      a.bytes_received = payload[2];
      break;
    case MORA_SHAPE_COLLECTIVE:
      a.bytes_sent = payload[1];
      a.bytes_received = payload[2];
      break;
    case MORA_SHAPE_SHMEM_COLLECTIVE:
      a.bytes_sent = payload[2];
      a.bytes_received = payload[3] == MORA_BYTES_UNKNOWN ? 0 : payload[3];
      break;
    default:
      break;
  }
  return a;
}

/* Adds `more` to sums that begin with `least` UINT64_MAX and all else 0. */
static inline void mora_profile_add(struct mora_amounts* to, const struct mora_amounts* more) {
  to->visits += more->visits;
  to->ticks += more->ticks;
  if (more->least < to->least) to->least = more->least;
  if (more->most > to->most) to->most = more->most;
  to->bytes_sent += more->bytes_sent;
  to->bytes_received += more->bytes_received;
  to->messages_sent += more->messages_sent;
  to->messages_received += more->messages_received;
  to->records += more->records;
}

/* Makes a profile of a journal that was opened and has no record yet; `profile` is all 0, and as long-lived as it. */
void mora_profile_start(struct mora_journal* journal, struct mora_profile* profile);

/* Adds up the newest records; the writer's, under its lock, instead of appending the chunk. 0 or errno: then the rest
 * of them stays as it is. */
int mora_profile_fold(struct mora_journal* journal);

#ifdef __cplusplus
}
#endif

#endif
