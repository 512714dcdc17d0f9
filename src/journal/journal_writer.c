/* Writes records into the live chunk and full chunks to the file.
 *
 * Layout of the live chunk: header, records, one zero word behind the last record. Behind the soft limit there is
 * room for one small record, an OVERHEAD record, the LOST record, the STATE record, the END record, the zero word, and
 * struct mora_state.
 *
 * Killed at any instant, header + file + live chunk hold every published record exactly once: the image of
 * generation g is complete in the file before the live chunk becomes g + 1, and a reader prefers a complete image
 * to a live chunk of the same generation, and the live chunk to an image that the file ends in the middle of.
 *
 * The owner's thread may be cancelled where it waits, but not in here. The program may close or replace the descriptor:
 * the file is opened again, and what has its number is left alone.
 *
 * Cost: a record is some stores; a full chunk (1 MiB unless asked otherwise) is one pwrite. Limits: one thread at a
 * time; not async-signal-safe (a handler may interrupt a record that is being written). */
#define _GNU_SOURCE
#include "journal/journal_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "journal/profile.h"
#include "journal/ring.h"

enum { lost_words = 6, overhead_words = 5, end_words = 4 };
enum { ending_bytes = 4096 /* header of the file, and an image of LOST, STATE and END */ };
enum { state_words = sizeof(struct mora_state) / 8 };
enum { tail_words = overhead_words + lost_words + 4 + state_words + end_words + 1 };

struct mora_state mora_no_state;

static const uint64_t first_reserve = UINT64_C(4) << 20, largest_reserve = UINT64_C(32) << 20;
static const uint64_t started_at_once = UINT64_C(1) << 20;
static const uint64_t kept_in_cache = UINT64_C(16) << 20;

/* Beyond RLIMIT_FSIZE a write raises SIGXFSZ, which would kill the job. */
static int file_may_grow_to(uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

/* Whether the number is still the journal's: a program may close what it does not know, and have a file of its own
 * there. */
static int has_own_file(const struct mora_journal* journal) {
  struct stat s;
  return fstat(journal->file, &s) == 0 && s.st_dev == journal->device && s.st_ino == journal->inode;
}

/* Before the file is used: opens it again if it is no longer open. 0 or errno. */
static int keep_own_file(struct mora_journal* journal) {
  enum { no_number = INT_MAX }; /* the system refuses it; not -1, which says that the journal is not open */
  if (has_own_file(journal)) return 0;
  const int before = journal->file == no_number ? 0 : journal->file;
  journal->file = no_number; /* the other one is the program's */
  const int file = open(journal->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno;
  const int high = fcntl(file, F_DUPFD_CLOEXEC, before); /* as high as it was */
  if (high >= 0) close(file);
  journal->file = high < 0 ? file : high;
  if (has_own_file(journal)) return 0;
  close(journal->file);
  journal->file = no_number;
  return ESTALE;
}

static int write_fully(int file, struct iovec* parts, int n, uint64_t at) {
  while (n > 0) {
    ssize_t done = pwritev(file, parts, n, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    at += (uint64_t)done;
    while (n > 0 && (size_t)done >= parts->iov_len) {
      done -= (ssize_t)parts->iov_len;
      parts++, n--;
    }
    if (n > 0) {
      parts->iov_base = (char*)parts->iov_base + done;
      parts->iov_len -= (size_t)done;
    }
  }
  return 0;
}

static uint64_t* records_of(struct mora_chunk_header* chunk) { return (uint64_t*)(chunk + 1); }

/* Reserves disk space ahead of the end: copying into allocated blocks costs half as much. A failure does not matter. */
static void reserve_ahead(struct mora_journal* journal, uint64_t bytes) {
  uint64_t end = journal->file_bytes + bytes;
  if (end <= journal->reserved_bytes) return;
  uint64_t step = journal->file_bytes < first_reserve ? first_reserve : journal->file_bytes;
  if (step > largest_reserve) step = largest_reserve;
  if (step < bytes || journal->budget) step = bytes;
  if (!file_may_grow_to(journal->file_bytes + step)) return;
  if (fallocate(journal->file, FALLOC_FL_KEEP_SIZE, (off_t)journal->file_bytes, (off_t)step) == 0)
    journal->reserved_bytes = journal->file_bytes + step;
  else
    journal->reserved_bytes = end; /* ask again for the next chunk */
}

/* Starts writing the newest pages to the disk and releases older ones from the page cache. Memory that a virtual
 * machine has never touched costs ten times the copy itself; so a few megabytes of page cache are reused, and the
 * program keeps its memory. */
static void recycle_cache(struct mora_journal* journal, uint64_t from, uint64_t bytes) {
  if (from + bytes - journal->started_bytes < started_at_once) return;
  sync_file_range(journal->file, (off_t)journal->started_bytes, (off_t)(from + bytes - journal->started_bytes),
                  SYNC_FILE_RANGE_WRITE);
  journal->started_bytes = from + bytes;
  const uint64_t end = journal->file_bytes & ~UINT64_C(4095);
  if (end < journal->released_bytes + kept_in_cache + bytes) return;
  posix_fadvise(journal->file, (off_t)journal->released_bytes, (off_t)(end - kept_in_cache - journal->released_bytes),
                POSIX_FADV_DONTNEED);
  journal->released_bytes = (end - kept_in_cache) & ~UINT64_C(4095);
}

int mora_journal_write(struct mora_journal* journal, struct iovec* parts, int n, uint64_t bytes, uint64_t at) {
  if (!file_may_grow_to(at + bytes)) return EFBIG;
  const int failure = keep_own_file(journal);
  if (failure != 0) return failure;
  journal->written_bytes += bytes;
  return write_fully(journal->file, parts, n, at);
}

static uint64_t image_bytes(const struct mora_journal* journal, const uint64_t* end) {
  return (uint64_t)((const char*)end - (const char*)journal->live);
}

/* Writes the records before `end` as the next image; the journal does not know of it yet. */
static int write_image(struct mora_journal* journal, const uint64_t* end, int is_last) {
  const uint64_t bytes = image_bytes(journal, end);
  struct mora_chunk_header header = *journal->live;
  header.used = bytes - sizeof header;
  header.is_last = (uint32_t)is_last;
  struct iovec parts[2] = {{&header, sizeof header}, {records_of(journal->live), header.used}};
  if (journal->ring) return mora_journal_write(journal, parts, 2, bytes, mora_ring_place(journal));
  if (keep_own_file(journal) == 0 && file_may_grow_to(journal->file_bytes + bytes)) reserve_ahead(journal, bytes);
  return mora_journal_write(journal, parts, 2, bytes, journal->file_bytes);
}

int mora_journal_append(struct mora_journal* journal, const uint64_t* end) {
  const uint64_t bytes = image_bytes(journal, end);
  const int failure = write_image(journal, end, 0);
  if (failure != 0) return failure;
  if (journal->ring)
    mora_ring_advance(journal);
  else
    journal->file_bytes += bytes;
  return 0;
}

static void begin_turn(struct mora_journal* journal) {
  while (__atomic_exchange_n(&journal->turning, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static void end_turn(struct mora_journal* journal) { __atomic_store_n(&journal->turning, 0, __ATOMIC_RELEASE); }

static void start_generation(struct mora_journal* journal, uint32_t generation) {
  struct mora_chunk_header* live = journal->live;
  records_of(live)[0] = 0;
  live->used = 0;
  live->first_record = journal->records;
  journal->read_clock(&live->opened);
  memcpy(live->magic, "MORACHNK", sizeof live->magic);
  __atomic_store_n(&live->generation, generation, __ATOMIC_RELEASE);
  journal->generation = (uint64_t)(uint16_t)generation << 48;
  journal->next = records_of(live);
}

static void set_limits(struct mora_journal* journal) {
  uint64_t* end = (uint64_t*)((char*)journal->live + journal->chunk_bytes) - state_words;
  journal->hard_limit = end - tail_words;
  journal->soft_limit = end - tail_words - MORA_JOURNAL_SMALL_WORDS;
}

/* Where records go that cannot be stored. */
static uint64_t nowhere[MORA_JOURNAL_BIG_WORDS + 2 * MORA_JOURNAL_SMALL_WORDS];

/* Whether what stands there is of a call: facts are none. Each poll has a record of its own there. */
static uint64_t calls_nowhere(void) { return (uint16_t)(nowhere[0] >> 16) != 0; }

/* Stops recording for good: from here on all published records go nowhere, and their calls are counted. */
static void stop(struct mora_journal* journal, int failure) {
  journal->stopped = failure;
  journal->pending_ticks = journal->pending_begin = 0;
  if (keep_own_file(journal) != 0 ||
      ftruncate(journal->file, (off_t)journal->file_bytes) != 0) { /* then the reader finds a cut image */
  }
  uint64_t* record = journal->next;
  record[1] = record[2] = record[3] = 0;
  record[4] = (uint32_t)failure;
  record[5] = journal->lost;
  journal->lost_record = record;
  mora_journal_publish_held(journal, record, lost_words, 0, MORA_SHAPE_LOST, 0);
  struct mora_clock_triple now;
  journal->read_clock(&now);
  record[1] = now.ticks;
  journal->next = nowhere;
  journal->soft_limit = nowhere; /* every publish comes to mora_journal_turn, which counts */
  journal->hard_limit = nowhere;
}

int mora_budget_take(struct mora_budget* budget, uint64_t bytes) {
  uint64_t left = __atomic_load_n(&budget->left, __ATOMIC_RELAXED);
  do {
    if (left < bytes) return 0;
  } while (!__atomic_compare_exchange_n(&budget->left, &left, left - bytes, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return 1;
}

void mora_journal_bound(struct mora_journal* journal, struct mora_budget* budget) {
  if (journal->file < 0) return;
  journal->budget = budget;
  if (!mora_budget_take(budget, journal->chunk_bytes + ending_bytes)) stop(journal, MORA_LOST_BUDGET);
}

static void write_overhead(struct mora_journal* journal) {
  uint64_t* record = mora_journal_small(journal);
  record[1] = journal->pending_begin;
  record[2] = (journal->pending_ticks >> 32) << 48;
  record[3] = journal->pending_ticks << 32;
  record[4] = MORA_OVERHEAD_WRITE;
  journal->pending_ticks = journal->pending_begin = 0;
  mora_journal_publish_held(journal, record, overhead_words, 0, MORA_SHAPE_OVERHEAD, 0);
}

static void write_out(struct mora_journal* journal) {
  struct mora_clock_triple before;
  journal->read_clock(&before);
  const uint64_t from = journal->file_bytes;
  int failure = journal->ring ? mora_ring_fold(journal) : 0;
  if (failure == 0) failure = mora_journal_append(journal, journal->next);
  if (failure != 0) {
    stop(journal, failure);
    return;
  }
  if (!journal->ring) recycle_cache(journal, from, journal->file_bytes - from);
  uint32_t generation = (uint32_t)(journal->generation >> 48) + 1;
  start_generation(journal, (uint16_t)generation == 0 ? 1 : generation);
  if (journal->ring) mora_ring_write_state(journal);
  if (journal->pending_begin == 0) journal->pending_begin = before.ticks; /* else: again within one list */
  journal->pending_ticks = journal->live->opened.ticks - journal->pending_begin;
  if (journal->budget && !journal->ring && !mora_budget_take(journal->budget, journal->chunk_bytes))
    stop(journal, MORA_LOST_BUDGET);
}

static void fold(struct mora_journal* journal) {
  const int failure = mora_profile_fold(journal);
  if (failure != 0) stop(journal, failure);
}

/* Writes the chunk out, and then the OVERHEAD record: at once, or, within a continued list, behind its last record. */
static void renew(struct mora_journal* journal, int within_list) {
  const int error = errno; /* the program's */
  int cancelled = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  if (journal->pending_begin && !within_list) write_overhead(journal);
  begin_turn(journal);
  if (journal->profile)
    fold(journal);
  else
    write_out(journal);
  end_turn(journal);
  if (journal->notify) journal->notify(journal);
  pthread_setcancelstate(cancelled, NULL);
  errno = error;
  if (journal->stopped) return;
  set_limits(journal);
  if (journal->profile) return;
  if (within_list)
    journal->soft_limit = records_of(journal->live);
  else
    write_overhead(journal);
}

void mora_journal_turn(struct mora_journal* journal) {
  if (journal->file < 0) return;
  if (journal->stopped) {
    mora_journal_lose(journal, calls_nowhere());
    journal->next = journal->soft_limit;
  } else if (journal->pending_begin) {
    write_overhead(journal);
    set_limits(journal);
    if (journal->next > journal->soft_limit) renew(journal, 0);
  } else {
    renew(journal, 0);
  }
}

void mora_journal_flush(struct mora_journal* journal) {
  if (journal->file < 0 || journal->stopped || journal->next == records_of(journal->live)) return;
  renew(journal, 0);
}

uint64_t* mora_journal_big(struct mora_journal* journal, unsigned words) {
  if (journal->file < 0) return journal->next;
  if (journal->stopped)
    journal->next = journal->soft_limit;
  else if (journal->next + words > journal->hard_limit)
    renew(journal, 1);
  return journal->next;
}

void mora_journal_lose(struct mora_journal* journal, uint64_t calls) {
  journal->lost += calls;
  if (journal->lost_record) __atomic_store_n(&journal->lost_record[5], journal->lost, __ATOMIC_RELAXED);
}

void mora_journal_end(struct mora_journal* journal, uint64_t ticks, unsigned flags) {
  if (journal->file < 0) return;
  uint64_t* record = journal->stopped ? journal->lost_record + lost_words : journal->next;
  if (journal->state != &mora_no_state && (journal->state->call || journal->state->end)) {
    record[1] = ticks;
    record[2] = record[3] = 0;
    memcpy(record + 4, journal->state, sizeof *journal->state);
    mora_journal_publish_held(journal, record, 4 + state_words, 0, MORA_SHAPE_STATE, 0);
    record += 4 + state_words;
  }
  record[1] = ticks;
  record[2] = record[3] = 0;
  mora_journal_publish_held(journal, record, end_words, 0, MORA_SHAPE_END, flags);
  journal->ended = 1;
}

static int create_live_chunk(struct mora_journal* journal, const char* path) {
  if (path == NULL || path[0] == 0 || strlen(path) >= sizeof journal->live_path) return ENAMETOOLONG;
  if (!file_may_grow_to(journal->chunk_bytes)) return EFBIG;
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  int failure = posix_fallocate(file, 0, (off_t)journal->chunk_bytes);
  void* memory = MAP_FAILED;
  if (failure == 0) {
    memory = mmap(NULL, journal->chunk_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) failure = errno;
  }
  close(file);
  if (failure != 0) {
    unlink(path);
    return failure;
  }
  madvise(memory, journal->chunk_bytes, MADV_DONTFORK);
  memset(memory, 0, journal->chunk_bytes); /* touches every page, so that none faults later */
  journal->live = memory;
  strcpy(journal->live_path, path);
  return 0;
}

int mora_journal_open(struct mora_journal* journal, const char* path, const char* fallback, uint32_t chunk_bytes,
                      struct mora_file_header* header, void (*read_clock)(struct mora_clock_triple*)) {
  memset(journal, 0, sizeof *journal);
  journal->file = -1;
  journal->state = &mora_no_state;
  journal->read_clock = read_clock;
  if (chunk_bytes < MORA_JOURNAL_MIN_CHUNK_BYTES) chunk_bytes = MORA_JOURNAL_MIN_CHUNK_BYTES;
  if (chunk_bytes > MORA_JOURNAL_MAX_CHUNK_BYTES) chunk_bytes = MORA_JOURNAL_MAX_CHUNK_BYTES;
  journal->chunk_bytes = chunk_bytes & ~UINT32_C(4095);

  if (strlen(path) >= sizeof journal->path) return ENAMETOOLONG;
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return errno;
  struct stat s = {0};
  int failure = fstat(file, &s) != 0 ? errno : 0;
  if (failure == 0 && create_live_chunk(journal, header->live_chunk) != 0)
    failure = create_live_chunk(journal, fallback);
  if (failure == 0) {
    memset(header->live_chunk, 0, sizeof header->live_chunk);
    strcpy(header->live_chunk, journal->live_path);
    memcpy(header->magic, MORA_JOURNAL_MAGIC, sizeof header->magic);
    header->version = MORA_JOURNAL_VERSION;
    header->header_bytes = sizeof *header;
    header->chunk_bytes = journal->chunk_bytes;
    struct iovec part = {header, sizeof *header};
    failure = file_may_grow_to(sizeof *header) ? write_fully(file, &part, 1, 0) : EFBIG;
    if (failure != 0) {
      munmap(journal->live, journal->chunk_bytes);
      unlink(journal->live_path);
    }
  }
  if (failure != 0) {
    close(file);
    unlink(path);
    return failure;
  }
  journal->file = file;
  journal->device = s.st_dev;
  journal->inode = s.st_ino;
  strcpy(journal->path, path);
  journal->file_bytes = sizeof *header;
  journal->state = (struct mora_state*)((char*)journal->live + journal->chunk_bytes) - 1;
  start_generation(journal, 1);
  set_limits(journal);
  return 0;
}

void mora_journal_close(struct mora_journal* journal) {
  if (journal->file < 0) return;
  int kept = 0;
  if (journal->stopped && !journal->ended) journal->next = journal->lost_record + lost_words;
  if (journal->next != records_of(journal->live)) kept = mora_journal_append(journal, journal->next);
  /* keeps a half-written image out of the file and returns the blocks reserved ahead */
  if (keep_own_file(journal) == 0) {
    if (ftruncate(journal->file, (off_t)journal->file_bytes) != 0 && kept == 0) kept = 0;
    close(journal->file);
  }
  journal->file = -1;
  journal->state = &mora_no_state;
  if (kept == 0) unlink(journal->live_path);
  munmap(journal->live, journal->chunk_bytes);
  journal->live = NULL;
  journal->stopped = journal->stopped ? journal->stopped : kept;
}

void mora_journal_finish_for(struct mora_journal* journal) {
  begin_turn(journal);
  const int is_bounded = journal->stopped == MORA_LOST_BUDGET; /* there is room: it was taken at the start */
  const uint64_t* end =
      is_bounded ? journal->lost_record + lost_words : __atomic_load_n(&journal->next, __ATOMIC_ACQUIRE);
  if (journal->file >= 0 && (!journal->stopped || is_bounded) && write_image(journal, end, 1) == 0 &&
      ftruncate(journal->file, (off_t)(journal->file_bytes + (journal->ring ? 0 : image_bytes(journal, end)))) == 0)
    unlink(journal->live_path);
  end_turn(journal);
}

void mora_journal_abandon(struct mora_journal* journal) {
  if (journal->file >= 0 && has_own_file(journal)) close(journal->file);
  journal->file = -1;
  journal->state = &mora_no_state;
  journal->live = NULL; /* MADV_DONTFORK: not mapped here */
}
