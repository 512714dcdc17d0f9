#define _GNU_SOURCE
#include "measure/call/core_time.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "measure/call/counters.h"
#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/counters/high_file.h"

enum { shortest_ms = -10, longest_ms = 20, again_ms = 100, largest_difference_ns = 100000000 };

enum { most_kept = 64 }; /* threads whose file stays open */

enum { marks_at_once = 64 }; /* that may be read without a millisecond between them */

uint64_t mora_core_mark_due = UINT64_MAX;

static const uint64_t behind_a_call = UINT64_MAX - 1; /* due while the end of a call has to begin a stretch */

static uint64_t ticks_per_ms;
static int is_on;

/* A signal may come at any time and leave samples. */
static void set_due(uint64_t ticks) {
  mora_self.thread->core.due = mora_self.core_due = ticks;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (mora_has_samples() || mora_counters_on) mora_self.core_due = 0;
}

void mora_core_due_again(void) { set_due(mora_self.thread->core.due); }

/* From the kernel's text in the file: time in the run queue. A descriptor that was kept may be another file by now, if
 * the program closes what it does not know: the text must say about the same CPU time. errno says why not. */
static int read_wait(int file, uint64_t cpu_ns, uint64_t* wait_ns) {
  char text[80];
  const ssize_t n = pread(file, text, sizeof text - 1, 0);
  if (n < 0) return 0;
  mora_self.thread->core.read_bytes += (uint64_t)n;
  text[n] = 0;
  char* rest = text;
  const uint64_t said = strtoull(text, &rest, 10);
  errno = ENODATA;
  if (*rest != ' ' || said > cpu_ns + largest_difference_ns || cpu_ns > said + largest_difference_ns) return 0;
  *wait_ns = strtoull(rest, &rest, 10);
  return *rest == ' ';
}

/* The file is opened where the lowest number is, so rarely: once for a thread, if the program lets it stay open. */
static int read_own_wait(uint64_t cpu_ns, uint64_t* wait_ns) {
  struct mora_core* core = &mora_self.thread->core;
  if (core->file >= 0 && read_wait(core->file, cpu_ns, wait_ns)) return 1;
  core->file = -1; /* what has the old number, if anything, is the program's */
  const int low = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (low < 0) return 0;
  const int file = mora_self.thread->number < most_kept ? mora_to_high_number(low) : low;
  const int is_known = read_wait(file, cpu_ns, wait_ns);
  if (is_known && file != low) {
    core->file = file;
  } else {
    const int error = errno;
    close(file);
    errno = error;
  }
  return is_known;
}

/* What the kernel counted of the thread since it began: the payload of a CORE record. Profiles have only how many there
 * would be. */
static int read_counters(uint64_t* counters) {
  if (mora_self.journal->profile) {
    memset(counters, 0, MORA_CORE_COUNTERS * sizeof *counters);
    return 1;
  }
  struct timespec cpu;
  struct rusage usage;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) != 0) return 0;
  counters[0] = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
  if (!read_own_wait(counters[0], &counters[1]) || getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  counters[2] = (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u;
  counters[3] = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
  counters[4] = (uint64_t)usage.ru_nvcsw;
  counters[5] = (uint64_t)usage.ru_nivcsw;
  return 1;
}

static void write_record(uint64_t ticks, const uint64_t* counters) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, 0);
  if (ticks != 0) record[1] = ticks;
  memcpy(record + 4, counters, MORA_CORE_COUNTERS * sizeof *counters);
  mora_publish_fact(record, 4 + MORA_CORE_COUNTERS, MORA_SHAPE_CORE);
}

/* As read_counters; says once that readings are missing from now on, and why, and that they go on. */
static int read_or_tell(uint64_t* counters) {
  struct mora_core* core = &mora_self.thread->core;
  const int is_known = read_counters(counters);
  if (core->is_missing == is_known) {
    core->is_missing = !is_known;
    mora_write_note(MORA_NOTE_NO_CORE, is_known ? 0 : (uint64_t)errno);
  }
  return is_known;
}

/* A place goes from thread to thread: what the next one writes goes on where the one before it ended. `ticks`: of the
 * record; 0: now. */
static int write_reading(uint64_t ticks) {
  struct mora_core* core = &mora_self.thread->core;
  uint64_t counters[MORA_CORE_COUNTERS];
  const int error = errno, is_known = read_or_tell(counters);
  if (is_known) {
    for (int i = 0; i < MORA_CORE_COUNTERS; i++) {
      if (core->is_new) core->before[i] = counters[i] - core->last[i];
      core->last[i] = counters[i] -= core->before[i];
    }
    core->is_new = 0;
    write_record(ticks, counters);
  }
  errno = error;
  return is_known;
}

int mora_core_read_at_mark(uint64_t ticks, uint64_t* counters) {
  const int error = errno, is_known = read_or_tell(counters);
  const uint64_t saved = marks_at_once * ticks_per_ms, earliest = ticks > saved ? ticks - saved : 0;
  if (mora_core_mark_due < earliest) mora_core_mark_due = earliest;
  mora_core_mark_due = is_known ? mora_core_mark_due + ticks_per_ms : ticks + again_ms * ticks_per_ms;
  errno = error;
  return is_known;
}

void mora_core_write_at_mark(uint64_t ticks, const uint64_t* counters) { write_record(ticks, counters); }

/* At random (xorshift; Marsaglia 2003). Below 0 is no time at all: in one case of three the next stretch is read, too,
 * or of stretches that alternate always the same kind would be. */
static void wait_a_while(void) {
  uint64_t* state = &mora_self.thread->core.random_state;
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  const double ms = shortest_ms + (longest_ms - shortest_ms) * ((double)(*state >> 32) / UINT32_MAX);
  set_due(mora_ticks() + (ms > 0 ? (uint64_t)(ms * (double)ticks_per_ms) : 0));
}

static uint64_t write_samples(uint64_t begin) {
  if (mora_polls_may_go_on(begin))
    mora_samples_drop();
  else
    mora_samples_write(UINT64_MAX);
  return mora_ticks();
}

/* A stretch whose begin was read ends. 1: it did. */
static int end_stretch(uint64_t ticks) {
  struct mora_core* core = &mora_self.thread->core;
  if (!core->is_begun) return 0;
  core->is_begun = 0;
  write_reading(ticks);
  wait_a_while();
  return 1;
}

uint64_t mora_core_before_call(uint64_t begin) {
  struct mora_core* core = &mora_self.thread->core;
  if (mora_has_samples()) begin = write_samples(begin);
  if (begin >= core->due) {
    if (end_stretch(0)) begin = mora_ticks();
    if (begin >= core->due) {
      mora_self.leave_work |= MORA_LEAVE_READ;
      set_due(behind_a_call);
    }
  }
  return mora_counters_on ? mora_counters_before_call(begin) : begin;
}

/* Begins a stretch. */
static void begin_stretch(uint64_t ticks) {
  struct mora_core* core = &mora_self.thread->core;
  core->is_begun = write_reading(ticks);
  set_due(core->is_begun ? 0 : mora_ticks() + again_ms * ticks_per_ms);
}

void mora_core_read_here(uint64_t ticks, int is_end) {
  const struct mora_core* core = &mora_self.thread->core;
  if (ticks < core->due || core->due == behind_a_call || mora_is_first_thread()) return;
  end_stretch(ticks);
  if (!is_end && ticks >= core->due) begin_stretch(ticks);
}

/* After a call, its record written. */
void mora_leave_slow(void) {
  if (mora_self.leave_work & MORA_LEAVE_READ) {
    mora_self.leave_work &= ~MORA_LEAVE_READ;
    begin_stretch(0);
  }
  mora_leave_poll();
}

void mora_publish_last_slow(struct mora_call* call, uint64_t* record, unsigned words, unsigned shape) {
  mora_publish(call, record, words, shape);
  mora_leave();
}

void mora_turn_and_leave(void) {
  struct mora_journal* journal = mora_self.journal;
  if (journal->next > journal->soft_limit) mora_journal_turn(journal);
  mora_leave();
}

void mora_core_start(const struct mora_clock_triple* earlier) {
  struct mora_clock_triple now;
  mora_clock_read(&now);
  mora_counters_start();
  mora_return_is_plain = mora_clock_is_tsc && !mora_counters_on;
  set_due(UINT64_MAX);
  if (mora_pattern || now.monotonic_ns <= earlier->monotonic_ns) return;
  ticks_per_ms =
      (uint64_t)((double)(now.ticks - earlier->ticks) / (double)(now.monotonic_ns - earlier->monotonic_ns) * 1e6);
  mora_self.thread->core.random_state = mora_ticks() | 1;
  is_on = 1;
  mora_core_mark_due = 0;
  begin_stretch(0);
}

void mora_core_end(void) {
  mora_counters_here(mora_ticks());
  if (mora_self.thread->core.due == UINT64_MAX) return;
  write_reading(0);
  mora_core_switch(0);
}

void mora_core_begin_thread(void) {
  struct mora_core* core = &mora_self.thread->core;
  core->file = -1;
  core->is_begun = 0;
  core->is_new = 1;
  core->random_state = (mora_ticks() + ((uint64_t)mora_self.thread->number << 32)) | 1;
  set_due(is_on && mora_self.gate_resting == MORA_GATE_OPEN ? 0 : UINT64_MAX);
}

void mora_core_end_thread(void) {
  struct mora_core* core = &mora_self.thread->core;
  const int is_told = core->due != UINT64_MAX && !core->is_new && !mora_self.journal->stopped;
  uint64_t counters[MORA_CORE_COUNTERS];
  if (is_told ? write_reading(0) : core->file >= 0 && read_counters(counters))
    if (core->file >= 0) close(core->file); /* else it is the program's */
  core->file = -1;
  set_due(UINT64_MAX);
}

void mora_core_read_behind(void) {
  if (mora_self.thread->core.due == UINT64_MAX || !mora_is_first_thread()) return;
  mora_self.leave_work |= MORA_LEAVE_READ;
  set_due(behind_a_call);
}

void mora_core_switch(int on) {
  mora_self.thread->core.is_begun = 0;
  mora_self.leave_work &= ~MORA_LEAVE_READ;
  set_due(UINT64_MAX);
  if (mora_is_first_thread()) mora_core_mark_due = UINT64_MAX;
  if (!on || !is_on) return;
  wait_a_while();
  if (mora_is_first_thread()) mora_core_mark_due = mora_ticks();
}
