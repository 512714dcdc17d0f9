/* Each recorded thread has a clock of its own processor time (sample_clock.h); outside of MPI calls its signal's
 * handler notes the instruction and the functions around it (stack/interrupted.h). Inside of MPI calls it notes
 * nothing, nor while a thread of a team has no part in one. The handler neither allocates nor locks, and writes no
 * journal: samples wait in memory of the thread's own until its next record (call/sampling.h), which costs calls
 * nothing while there are none. A thread that computes for minutes without a record is sampled ever more rarely: when
 * the memory is full every second sample is dropped and the others weigh double.
 *
 * Cost: 1.2 us a sample, most of it the kernel's; 250 a second are 0.03 % (docs/performance.md).
 * Limits: x86-64 with glibc 2.35. A wrong unwind table could lead to the tables of a module that another thread is just
 * unloading. What a killed process computed since its last MPI call is lost, and what threads that outlive MPI_Finalize
 * computed since their last record. */
#define _GNU_SOURCE
#include "measure/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/samples/sample_clock.h"
#include "measure/stack/interrupted.h"
#include "measure/stack/python_places.h"

enum {
  most_samples = 1 << 16,
  most_paths = 4096,
  path_slots = 2 * most_paths,
  path_words = 1 << 17,
  deepest = 128,
  highest_rate = 10000
};

struct sample {
  uint64_t ticks, pc;
  uint32_t path; /* number, from 1; 0: the functions around it are not known */
};

struct path {
  uint32_t begin, count; /* in `words` */
  uint64_t hash;
};

/* What one thread has, or those that had its place one after the other: paths are numbered in its journal. All of it
 * is changed by the thread's handler only while its gate is open, and by the thread only while it is shut; the clock is
 * started and stopped under the lock of all threads. */
struct mora_samples {
  uint32_t count, stride, skipped, path_count, words_used, paths_written;
  struct mora_sample_clock clock;
  uint64_t addresses[2 * deepest]; /* of the sample that is taken: those of Python are behind the others */
  struct mora_interrupted_walker walker;
  struct sample samples[most_samples];
  struct path paths[most_paths + 1];
  uint32_t slots[path_slots]; /* by hash: number of a path */
  uint64_t words[path_words];
};

static int is_on, was_taken;            /* is_on: threads that begin are sampled, too */
static uint64_t paths_refused;          /* of all threads */
static enum mora_no_samples impossible; /* why */
static void (*write_places)(void);
static long sharers, processors; /* processes, and processors that they may use */

/* Of all threads. */
static void change_clocks(void (*change)(struct mora_sample_clock*)) {
  mora_threads_lock();
  int was_on = 0, goes_on = 0;
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before) {
    if (!thread->samples) continue;
    was_on |= thread->samples->clock.is_on;
    change(&thread->samples->clock);
    goes_on |= thread->samples->clock.is_on;
  }
  was_taken |= was_on && !goes_on && change != mora_sample_clock_stop;
  is_on &= goes_on;
  mora_threads_unlock();
}

#if MORA_HAS_STACKS

static uint32_t path_of(struct mora_samples* memory, const uint64_t* addresses, unsigned n) {
  uint64_t hash = n;
  for (unsigned i = 0; i < n; i++) hash = (hash ^ addresses[i]) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
  unsigned slot = (unsigned)(hash >> 40) % path_slots;
  for (; memory->slots[slot] != 0; slot = (slot + 1) % path_slots) {
    const struct path* path = &memory->paths[memory->slots[slot]];
    if (path->hash == hash && path->count == n &&
        !memcmp(memory->words + path->begin, addresses, n * sizeof *addresses))
      return memory->slots[slot];
  }
  if (memory->path_count == most_paths || memory->words_used + n > path_words) {
    __atomic_add_fetch(&paths_refused, 1, __ATOMIC_RELAXED);
    return 0;
  }
  memcpy(memory->words + memory->words_used, addresses, n * sizeof *addresses);
  memory->paths[++memory->path_count] = (struct path){memory->words_used, n, hash};
  memory->words_used += n;
  return memory->slots[slot] = memory->path_count;
}

static struct mora_sample_clock* own_clock(void) {
  struct mora_samples* memory = mora_self.thread->samples;
  return memory ? &memory->clock : NULL;
}

static void take_sample(const ucontext_t* context) {
  struct mora_samples* memory = mora_self.thread->samples;
  if (mora_self.gate != MORA_GATE_OPEN || mora_self.is_idle || ++memory->skipped < memory->stride) return;
  memory->skipped = 0;
  if (memory->count == most_samples) {
    for (uint32_t i = 0; i < most_samples / 2; i++) memory->samples[i] = memory->samples[2 * i];
    memory->count = most_samples / 2;
    memory->stride *= 2;
  }
  const greg_t* registers = context->uc_mcontext.gregs;
  const uintptr_t pc = (uintptr_t)registers[REG_RIP];
  const struct mora_interrupted at = {pc, (uintptr_t)registers[REG_RSP], (uintptr_t)registers[REG_RBP],
                                      (uintptr_t)registers[REG_RBX]};
  unsigned n = mora_interrupted_callers(&memory->walker, at, memory->addresses, deepest);
  if (mora_python_is_on) n += mora_python_interrupted(memory->addresses + n, deepest);
  memory->samples[memory->count++] = (struct sample){mora_ticks(), pc, path_of(memory, memory->addresses, n)};
  __atomic_signal_fence(__ATOMIC_RELEASE);
  mora_self.samples_wait = 1;
  mora_self.core_due = 0; /* the next call looks */
}

/* Begins to sample the calling thread. Returns what it lacks for that. */
static enum mora_no_samples sample_thread(void) {
  struct mora_samples* memory = mora_self.thread->samples;
  if (!memory) {
    memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return MORA_NO_MEMORY;
    memory->stride = 1;
    mora_self.thread->samples = memory;
  }
  if (!mora_interrupted_start(&memory->walker)) return MORA_NO_UNWINDER;
  const long threads = (long)(mora_self.thread->number + 1) * sharers; /* if the others have as many */
  const int is_crowded = threads > __atomic_load_n(&processors, __ATOMIC_RELAXED);
  const enum mora_no_samples lacking = mora_sample_clock_start(&memory->clock, is_crowded);
  for (struct mora_thread* thread = is_crowded ? mora_threads_newest() : NULL; thread; thread = thread->before)
    if (thread->samples && thread->samples->clock.is_on) mora_sample_clock_sharpen(&thread->samples->clock);
  return lacking;
}

void mora_samples_start(const struct mora_sharing* shared, void (*places)(void)) {
  const char* setting = getenv("MORA_SAMPLE");
  write_places = places;
  sharers = shared->processes;
  processors = shared->processors;
  const unsigned long rate = setting ? strtoul(setting, NULL, 10) : 0;
  if (rate == 0 || mora_pattern) return;
  const int error = errno;
  const struct mora_sample_clock_hooks hooks = {own_clock, take_sample, change_clocks};
  impossible = mora_sample_clock_choose(rate < highest_rate ? rate : highest_rate, &hooks);
  if (!impossible) impossible = sample_thread();
  is_on = !impossible;
  errno = error;
}

void mora_samples_begin_thread(long may_use) {
  if (may_use > 0) __atomic_store_n(&processors, may_use, __ATOMIC_RELAXED);
  if (!is_on || mora_self.journal->stopped) return;
  const enum mora_no_samples lacking = sample_thread();
  if (lacking) mora_write_note(MORA_NOTE_NO_SAMPLES, lacking);
}

#else

void mora_samples_start(const struct mora_sharing* shared, void (*places)(void)) {
  (void)shared, (void)places;
  const char* setting = getenv("MORA_SAMPLE");
  if (!mora_pattern && setting && strtoul(setting, NULL, 10) != 0) impossible = MORA_NO_UNWINDER;
}

void mora_samples_begin_thread(long may_use) { (void)may_use; }

#endif

void mora_samples_stop(void) {
  const int error = errno;
  if (mora_has_samples()) mora_samples_write(UINT64_MAX);
  change_clocks(mora_sample_clock_stop);
  errno = error;
}

void mora_samples_end_thread(void) {
  const int error = errno;
  if (mora_has_samples()) mora_samples_write(UINT64_MAX);
  mora_threads_lock();
  if (mora_self.thread->samples) mora_sample_clock_stop(&mora_self.thread->samples->clock);
  mora_threads_unlock();
  errno = error;
}

void mora_samples_forget(void) {
  is_on = 0;
  mora_self.samples_wait = 0;
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before)
    if (thread->samples) mora_sample_clock_forget(&thread->samples->clock);
}

static void write_paths(struct mora_samples* memory) {
  if (memory->paths_written < memory->path_count) write_places();
  while (memory->paths_written < memory->path_count) {
    const struct path* path = &memory->paths[++memory->paths_written];
    uint64_t* record = mora_journal_big(mora_self.journal, 5 + path->count);
    mora_fill_fact(record, memory->paths_written);
    record[4] = mora_pair((int32_t)path->count, 0);
    memcpy(record + 5, memory->words + path->begin, path->count * sizeof *memory->words);
    mora_publish_fact(record, 5 + path->count, MORA_SHAPE_DEFINE_PATH);
  }
}

void mora_samples_drop(void) {
  struct mora_samples* memory = mora_self.thread->samples;
  memory->count = memory->skipped = 0;
  memory->stride = 1;
  mora_self.samples_wait = 0;
  mora_core_due_again();
}

void mora_samples_write(uint64_t until) {
  struct mora_samples* memory = mora_self.thread->samples;
  if (!mora_self.journal->stopped) {
    write_paths(memory);
    for (uint32_t i = 0; i < memory->count && !mora_self.journal->stopped; i++) {
      if (memory->samples[i].ticks > until) break;
      uint64_t* record = mora_journal_small(mora_self.journal);
      record[1] = memory->samples[i].ticks;
      record[2] = memory->samples[i].pc;
      record[3] = memory->samples[i].path;
      record[4] = mora_pair((int32_t)memory->stride, 0);
      mora_publish_fact(record, 5, MORA_SHAPE_SAMPLE);
    }
  }
  mora_samples_drop();
}

void mora_samples_write_notes(void) {
  if (impossible) mora_write_note(MORA_NOTE_NO_SAMPLES, impossible);
  if (was_taken) mora_write_note(MORA_NOTE_SAMPLES_GIVEN_UP, 1);
  if (paths_refused) mora_write_note(MORA_NOTE_SAMPLE_PATHS, paths_refused);
  impossible = 0;
  was_taken = 0;
  paths_refused = 0;
}
