#define _GNU_SOURCE
#include "measure/recorder/journals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/profile.h"
#include "journal/ring.h"
#include "measure/counters/high_file.h"
#include "measure/stack/python_script.h"

enum {
  chunks_of_budget = 8,          /* at least, where chunks can be so small: how near to its budget recording comes */
  chunks_of_ring = 16,           /* likewise: how much of the oldest part is given up at once */
  pattern_chunk_bytes = 1 << 16, /* many processes on one machine */
  ending_bytes = 32
};
static const uint64_t usual_ring_bytes = UINT64_C(128) << 20; /* of a process whose ring keeps a time */

static const struct mora_paths* paths;
static struct mora_file_header header;
static void (*notify)(struct mora_journal*);
static struct mora_budget budget; /* of this process */
static uint64_t budget_at_start;  /* 0: no bound */
static int is_ring;               /* what reaches the bound is not the end of recording but its beginning */
static uint64_t ring_keep_ns;     /* what the rings must cover; 0: what the bound allows */

/* Whether calls are added up (journal/profile.h). */
static int is_profile(void) {
  const char* setting = getenv("MORA_STATS");
  return !mora_pattern && setting && strcmp(setting, "1") == 0;
}

static uint32_t chunk_bytes(unsigned long long usual) {
  const char* setting = getenv("MORA_CHUNK_BYTES");
  if (is_profile()) usual = MORA_PROFILE_CHUNK_BYTES;
  const unsigned long long bytes = setting ? strtoull(setting, NULL, 10) : usual;
  unsigned long long most = MORA_JOURNAL_MAX_CHUNK_BYTES;
  const uint64_t chunks = is_ring ? chunks_of_ring : chunks_of_budget;
  if (budget_at_start && budget_at_start / chunks < most) most = budget_at_start / chunks;
  return bytes > most ? (uint32_t)most : (uint32_t)bytes;
}

/* Without memory for it all records are kept: the reader adds them up. */
static void begin_profile(struct mora_journal* journal) {
  struct mora_profile* profile =
      mmap(NULL, sizeof *profile, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (profile != MAP_FAILED) mora_profile_start(journal, profile);
}

/* Room for the journal that is opened next; NULL: there is none. Thread 0 has three quarters of the process's share,
 * each other thread an eighth of what is left when it begins, 96 KiB at least; the rest is for definitions. Rings that
 * keep a time share those three quarters; each begins with three places, which must fit into such an eighth. */
static struct mora_ring* ring_of(int is_first, uint32_t* bytes, uint64_t* places) {
  const uint64_t left = __atomic_load_n(&budget.left, __ATOMIC_RELAXED);
  const uint64_t least = MORA_RING_LEAST_PLACES * (uint64_t)MORA_JOURNAL_MIN_CHUNK_BYTES;
  uint64_t room = is_first ? budget_at_start / 4 * 3 : left / 8;
  if (room < least && left >= 2 * least) room = least;
  if (*bytes < MORA_JOURNAL_MIN_CHUNK_BYTES) *bytes = MORA_JOURNAL_MIN_CHUNK_BYTES;
  if (*bytes > room / MORA_RING_LEAST_PLACES) *bytes = (uint32_t)(room / MORA_RING_LEAST_PLACES);
  *places = *bytes < MORA_JOURNAL_MIN_CHUNK_BYTES ? 0 : room / *bytes;
  if (*places == 0) return NULL;
  if (ring_keep_ns) *places = budget_at_start / 4 * 3 / *bytes;
  const uint64_t images = ring_keep_ns ? *places * sizeof(struct mora_ring_image) : 0;
  void* memory =
      mmap(NULL, sizeof(struct mora_ring) + images, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  struct mora_ring* ring = memory;
  if (ring_keep_ns) {
    ring->keep_ns = ring_keep_ns;
    ring->spare = budget_at_start / 4;
    ring->images = (struct mora_ring_image*)(ring + 1);
  }
  return ring;
}

/* `ending`: of the names of its files, "" or ".t<thread>". */
static int open_journal(struct mora_journal* journal, const char* ending, uint32_t bytes) {
  char path[sizeof paths->stem + ending_bytes], fallback[sizeof path];
  struct mora_file_header own = header;
  const char* shm = getenv("MORA_SHM");
  uint64_t places = 0;
  struct mora_ring* ring = is_ring ? ring_of(!*ending, &bytes, &places) : NULL;
  if (is_ring && !ring) {
    if (!*ending) mora_report_problem(paths, "nothing was recorded: no memory for a ring"); /* else calls are counted */
    return ENOMEM;
  }
  memset(own.live_chunk, 0, sizeof own.live_chunk);
  if (snprintf(own.live_chunk, sizeof own.live_chunk, "%s/mora.%016llx.%u%s", shm && *shm ? shm : "/dev/shm",
               (unsigned long long)own.run_tag, own.world_rank, ending) >= (int)sizeof own.live_chunk)
    own.live_chunk[0] = 0;
  snprintf(path, sizeof path, "%s%s.journal", paths->stem, ending);
  snprintf(fallback, sizeof fallback, "%s%s.live", paths->stem, ending);
  int failure = mora_journal_open(journal, path, fallback, bytes, &own, mora_clock_read);
  if (!failure && ring) {
    failure = mora_ring_start(journal, ring, places, &budget);
    if (failure) mora_journal_close(journal);
  }
  if (!failure) journal->file = mora_to_high_number(journal->file);
  if (failure)
    mora_report_problem(paths, "%s: cannot create %s: %s",
                        *ending ? "calls of a thread are not recorded" : "nothing was recorded", path,
                        strerror(failure));
  journal->notify = notify;
  if (!failure && is_profile()) begin_profile(journal);
  if (!failure && budget_at_start && !is_ring) mora_journal_bound(journal, &budget);
  return failure;
}

/* The process's share of what MORA_BUDGET or MORA_RING gives to all; enough for two chunks, or a ring of six, in any
 * case. */
static void read_budget(int processes) {
  const char* setting = getenv("MORA_RING");
  const char* keep = getenv("MORA_RING_NS");
  if (keep) ring_keep_ns = strtoull(keep, NULL, 10);
  is_ring = ((setting && *setting) || ring_keep_ns) && !mora_pattern && !is_profile();
  if (!is_ring) setting = getenv("MORA_BUDGET");
  const uint64_t least = (is_ring ? 8 : 3) * (uint64_t)MORA_JOURNAL_MIN_CHUNK_BYTES;
  if ((!setting && !is_ring) || mora_pattern || is_profile()) return;
  budget_at_start = setting && *setting ? strtoull(setting, NULL, 10) / (uint64_t)processes : usual_ring_bytes;
  if (budget_at_start < least) budget_at_start = least;
  budget.left = budget_at_start;
}

int mora_journals_open(const struct mora_paths* where, const struct mora_journal_facts* facts) {
  paths = where;
  read_budget(facts->size);
  notify = facts->notify;
  header.world_rank = (uint32_t)facts->rank;
  header.world_size = (uint32_t)facts->size;
  header.pid = (uint32_t)getpid();
  header.run_tag = facts->run_tag;
  header.clock_id = mora_clock_id();
  header.clock_kind = mora_pattern ? MORA_CLOCK_NONE : mora_clock_kind();
#ifdef OPEN_MPI
  header.mpi_flavour = 1;
#else
  header.mpi_flavour = 2;
#endif
  header.start = facts->at_init;
  gethostname(header.host, sizeof header.host - 1);
  if (!mora_python_script(header.program, sizeof header.program) &&
      readlink("/proc/self/exe", header.program, sizeof header.program - 1) < 0)
    header.program[0] = 0;
  snprintf(header.mpi_library, sizeof header.mpi_library, "%s", facts->library);
  char directory[sizeof paths->stem];
  snprintf(directory, sizeof directory, "%s/journal", getenv("MORA_DIR"));
  mkdir(directory, 0777);
  return open_journal(mora_self.journal, "",
                      chunk_bytes(mora_pattern ? pattern_chunk_bytes : MORA_JOURNAL_USUAL_CHUNK_BYTES));
}

int mora_journals_open_thread(struct mora_thread* thread) {
  char ending[ending_bytes];
  snprintf(ending, sizeof ending, ".t%u", thread->number);
  return open_journal(&thread->journal, ending, chunk_bytes(MORA_JOURNAL_THREAD_CHUNK_BYTES)) == 0;
}

void mora_journals_finish_others(void) {
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before)
    if (thread != &mora_first_thread) mora_journal_finish_for(&thread->journal);
}

void mora_journals_abandon(void) {
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before)
    mora_journal_abandon(&thread->journal);
}
