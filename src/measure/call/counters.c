#define _GNU_SOURCE
#include "measure/call/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/counters/counter_set.h"

int mora_counters_on;

static struct mora_counter_list list;

struct mora_thread_counters {
  struct mora_counter_set set;
  uint64_t thread_before; /* mora_thread::ended when they were opened: another thread may have the place by now */
  uint64_t begin[MORA_MOST_COUNTERS], end[MORA_MOST_COUNTERS];
  int has_begin;       /* of the call that is being made */
  int is_scaled;       /* and it was said */
  uint64_t* last;      /* the last COUNTERS record of a call, */
  uint64_t generation; /* in this chunk */
  int row_goes_on;     /* `end` belongs into `last`: polls in a row are one record, and have one */
};

static int has_ended(const struct mora_thread_counters* counters) {
  return counters->thread_before != mora_self.thread->ended;
}

/* The journal says of each counter how it is read, or why not. */
static void define(const struct mora_counter_set* set) {
  for (unsigned i = 0; i < set->count; i++) {
    const unsigned bytes = (unsigned)strlen(list.counters[i].name), words = 6 + (bytes + 7) / 8;
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill_fact(record, i);
    record[4] = mora_pair(set->how[i], set->error[i]);
    record[5] = mora_pair(set->is_program_only[i], (int32_t)bytes);
    record[words - 1] = 0;
    memcpy(record + 6, list.counters[i].name, bytes);
    mora_publish_fact(record, words, MORA_SHAPE_DEFINE_COUNTER);
  }
}

static void read_once(struct mora_thread_counters* counters, uint64_t* totals) {
  mora_counter_set_read(&counters->set, mora_self.thread->core.read_bytes, mora_self.journal->written_bytes, totals);
}

/* What was counted since the last reading is lost with the files. */
static __attribute__((noinline, cold)) void open_again(struct mora_thread_counters* counters, uint64_t* totals) {
  mora_counter_set_close(&counters->set);
  mora_counter_set_open(&counters->set, &list);
  mora_write_note(MORA_NOTE_COUNTERS_LOST, 1);
  define(&counters->set);
  counters->last = NULL;
  read_once(counters, totals); /* what is none of perf's counts from here on */
}

/* May write records. */
static void read_set(struct mora_thread_counters* counters, uint64_t* totals) {
  read_once(counters, totals);
  if (__builtin_expect(counters->set.is_lost, 0)) open_again(counters, totals);
}

static void write_one(struct mora_thread_counters* counters, uint64_t ticks) {
  read_set(counters, counters->end);
  uint64_t* record = mora_journal_small(mora_self.journal);
  memcpy(record + 4, counters->end, list.count * sizeof *counters->end);
  record[1] = ticks;
  record[2] = 0;
  record[3] = list.count;
  counters->last = NULL;
  mora_publish_fact(record, 4 + list.count, MORA_SHAPE_COUNTERS);
}

/* Of the calling thread; NULL: it has none. */
static struct mora_thread_counters* own(void) {
  struct mora_thread* thread = mora_self.thread;
  if (thread == &mora_no_thread || mora_self.journal->stopped) return NULL;
  struct mora_thread_counters* counters = thread->counters;
  if (__builtin_expect(counters != NULL && !has_ended(counters), 1)) return counters;
  if (!counters) {
    const int error = errno;
    void* room = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = error;
    if (room == MAP_FAILED) return NULL;
    counters = thread->counters = room;
  } else {
    mora_counter_set_close(&counters->set); /* of a thread that ended without a word */
  }
  counters->thread_before = thread->ended;
  counters->has_begin = counters->row_goes_on = 0;
  mora_counter_set_open(&counters->set, &list);
  define(&counters->set);
  write_one(counters, mora_ticks());
  return counters;
}

void mora_counters_end_thread(void) {
  struct mora_thread_counters* counters = mora_self.thread->counters;
  if (counters) mora_counter_set_close(&counters->set);
}

void mora_counters_start(void) {
  if (mora_pattern || mora_counter_list_read(getenv("MORA_COUNTERS"), &list) == 0) return;
  mora_counters_on = 1;
  own();
}

/* The row of polls is over, or was until now: its record has the readings behind its last poll. */
static void end_row(struct mora_thread_counters* counters) {
  counters->row_goes_on = 0;
  if (counters->last && counters->generation == mora_self.journal->generation)
    memcpy(counters->last + 4 + list.count, counters->end, list.count * sizeof *counters->end);
}

uint64_t mora_counters_before_call(uint64_t begin) {
  struct mora_thread_counters* counters = own();
  if (!counters) return begin;
  if (counters->row_goes_on) end_row(counters);
  read_set(counters, counters->begin);
  counters->has_begin = 1;
  return mora_polls_may_go_on(begin) ? begin : mora_ticks();
}

static void read_behind(struct mora_thread_counters* counters, const struct mora_call* call) {
  counters->has_begin = 0;
  if (call->silent || mora_self.journal->stopped) return;
  read_set(counters, counters->end);
  if (counters->last && mora_polls_may_be_joined(call)) {
    counters->row_goes_on = 1;
    return;
  }
  struct mora_journal* journal = mora_self.journal;
  uint64_t* record = mora_journal_small(journal);
  const unsigned n = list.count, words = 4 + 2 * n;
  record[1] = call->begin;
  record[2] = 0;
  record[3] = n;
  memcpy(record + 4, counters->begin, n * sizeof *record);
  memcpy(record + 4 + n, counters->end, n * sizeof *record);
  mora_publish_fact(record, words, MORA_SHAPE_COUNTERS);
  counters->last = journal->next == record + words ? record : NULL;
  counters->generation = journal->generation;
  if (!counters->is_scaled && counters->set.is_scaled) {
    counters->is_scaled = 1;
    mora_write_note(MORA_NOTE_COUNTERS_SCALED, 1);
  }
}

/* Of polls the reading is a part, or it would be a gap between two of them that ends the row. */
void mora_counters_after_call(struct mora_call* call) {
  struct mora_thread_counters* counters = mora_self.thread->counters;
  if (!counters || !counters->has_begin) return;
  read_behind(counters, call);
  if (mora_polls_may_begin(call)) call->end = mora_ticks();
}

void mora_counters_read_now(uint64_t ticks) {
  struct mora_thread_counters* counters = own();
  if (!counters) return;
  if (counters->row_goes_on) end_row(counters);
  write_one(counters, ticks);
}
