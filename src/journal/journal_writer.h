/* Writes one journal (bytes: format.h). C, because it runs inside the user's job.
 *
 * Hot path: mora_journal_small + mora_journal_publish: no call, no lock, no allocation. One thread only, its owner, but
 * for mora_journal_finish_for.
 * The live chunk is a pre-faulted, fully allocated shared mapping, so that a killed process loses at most
 * the record being written and a full disk cannot raise SIGBUS. A full chunk is appended with pwrite.
 * When that fails the writer stops for good: the live chunk stays where it is with a LOST record at its
 * end, and everything published later only counts there. */
#ifndef MORA_JOURNAL_WRITER_H
#define MORA_JOURNAL_WRITER_H

#include "journal/format.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MORA_JOURNAL_SMALL_WORDS = 64, /* a record up to this size needs no reservation */
  MORA_JOURNAL_BIG_WORDS = 1024, /* the largest record */
  MORA_JOURNAL_MIN_CHUNK_BYTES = 1 << 15,
  MORA_JOURNAL_MAX_CHUNK_BYTES = 1 << 30,
  MORA_JOURNAL_USUAL_CHUNK_BYTES = 1 << 20, /* of a process's first thread */
  MORA_JOURNAL_THREAD_CHUNK_BYTES = 1 << 18 /* of its others: there may be hundreds */
};

/* Where a process's state goes while it has no live chunk. */
extern struct mora_state mora_no_state;

/* What the journals of a process may still take on disk, together. */
struct mora_budget {
  uint64_t left;
};

/* Takes so much of it, if it has as much. */
int mora_budget_take(struct mora_budget* budget, uint64_t bytes);

struct mora_journal {
  struct mora_state* state; /* in the live chunk; never NULL once the recorder is loaded */
  uint64_t* next;           /* where the next record goes */
  uint64_t* soft_limit;     /* beyond it publish calls mora_journal_turn */
  uint64_t generation;      /* of the live chunk, in bits 48-63 */
  uint64_t records;         /* published so far */

  uint64_t* hard_limit;
  struct mora_chunk_header* live;
  uint32_t chunk_bytes;
  int file;      /* -1 when not open */
  char turning;  /* a lock: the live chunk is being written to the file */
  int stopped;   /* errno or MORA_LOST_BUDGET: what ended recording; 0 while it goes on */
  uint64_t lost; /* calls counted since */
  uint64_t* lost_record;
  int ended;              /* END was written */
  uint64_t file_bytes;    /* end of the last complete chunk image; of a ring: of its definitions */
  uint64_t written_bytes; /* ever */
  uint64_t reserved_bytes;
  uint64_t started_bytes;                /* up to here writing to the disk was started */
  uint64_t released_bytes;               /* up to here the page cache was released */
  uint64_t pending_begin, pending_ticks; /* an OVERHEAD record still to be written */
  void (*read_clock)(struct mora_clock_triple*);
  void (*notify)(struct mora_journal*); /* may be NULL: a chunk was written out, or recording stopped */
  struct mora_profile* profile;         /* profile.h; NULL: a journal of all records */
  struct mora_budget* budget;           /* NULL: no bound */
  struct mora_ring* ring;               /* ring.h; NULL: nothing is forgotten */
  uint64_t device, inode;               /* of the file */
  char path[3200];
  char live_path[sizeof(((struct mora_file_header*)0)->live_chunk)];
};

/* Creates the file at `path` and the live chunk at header->live_chunk, or, if that fails, at `fallback`
 * (its path is then put into the header). `header` needs everything but magic, version, header_bytes and
 * chunk_bytes. Returns 0 or errno; on failure nothing is left behind. */
int mora_journal_open(struct mora_journal* journal, const char* path, const char* fallback, uint32_t chunk_bytes,
                      struct mora_file_header* header, void (*read_clock)(struct mora_clock_triple*));

/* Bounds a journal that has no record yet: recording stops (MORA_LOST_BUDGET) as soon as the live chunk was appended
 * and the budget has no room for another one. Room for one chunk, and for what says how the journal ends, is taken at
 * once; if there is none, recording stops now. */
void mora_journal_bound(struct mora_journal* journal, struct mora_budget* budget);

/* Appends the live chunk to the file now and starts a new one. */
void mora_journal_flush(struct mora_journal* journal);

/* The slow path of publish: the chunk is full, or recording has stopped. */
void mora_journal_turn(struct mora_journal* journal);

/* Room for a record of up to MORA_JOURNAL_BIG_WORDS words; also for every record of a continued list. Never NULL. */
uint64_t* mora_journal_big(struct mora_journal* journal, unsigned words);

/* Counts calls that cannot be stored (after a stop). */
void mora_journal_lose(struct mora_journal* journal, uint64_t calls);

/* The END record (format.h), also behind LOST: a process that ended by itself was not killed. The last record. */
void mora_journal_end(struct mora_journal* journal, uint64_t ticks, unsigned flags);

/* Appends the records before `end` to the file as an image of the live chunk; for profile.c. Returns 0 or errno. */
int mora_journal_append(struct mora_journal* journal, const uint64_t* end);

/* Appends what is left, gives surplus disk space back, removes the live chunk. After a stop it tries once more:
 * if there is room again the live chunk is appended; else it stays for the reader. */
void mora_journal_close(struct mora_journal* journal);

/* Writes at an offset of the file; for ring.c. `bytes`: of all parts. Returns 0 or errno. */
struct iovec;
int mora_journal_write(struct mora_journal* journal, struct iovec* parts, int n, uint64_t bytes, uint64_t at);

/* At the end of the process, of the journal of another thread, which may be writing: appends what its live chunk holds,
 * as the file's last image, and removes the live chunk. What the owner publishes later is lost. After a stop, or if
 * the file cannot take it, the live chunk stays for the reader. */
void mora_journal_finish_for(struct mora_journal* journal);

/* Call in a forked child: forgets the journal and leaves the parent's files alone. */
void mora_journal_abandon(struct mora_journal* journal);

/* Room for a record of up to MORA_JOURNAL_SMALL_WORDS words. Fill words 1…, then publish. */
static inline uint64_t* mora_journal_small(struct mora_journal* journal) { return journal->next; }

/* Makes the record valid, without looking for room: only between a record and its continuation. */
static inline void mora_journal_publish_held(struct mora_journal* journal, uint64_t* record, unsigned words,
                                             unsigned function, unsigned shape, unsigned flags) {
  record[words] = 0; /* ends a scan even if this place once held something like a record */
  __atomic_store_n(record, journal->generation | MORA_WORD0(0, words, function, shape, flags), __ATOMIC_RELEASE);
  __atomic_store_n(&journal->next, record + words, __ATOMIC_RELEASE);
  journal->records++;
}

/* Makes the record valid: from here on it survives a SIGKILL. */
static inline void mora_journal_publish(struct mora_journal* journal, uint64_t* record, unsigned words,
                                        unsigned function, unsigned shape, unsigned flags) {
  mora_journal_publish_held(journal, record, words, function, shape, flags);
  if (__builtin_expect(record + words > journal->soft_limit, 0) && !(flags & MORA_FLAG_CONTINUED))
    mora_journal_turn(journal);
}

#ifdef __cplusplus
}
#endif

#endif
