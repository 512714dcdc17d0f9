/* The functions that mora.h and mora.F90 call. A mark is one record of five words with one reading of the clock: the
 * last thing that a begin does and the first of an end, so that the mark's own cost is outside of the interval. Where a
 * mark stands in the source is written once, before its first record. The gate is shut meanwhile, as in an MPI call. */
#include <mora/mora.h>

#include <string.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/handles/handle_map.h"
#include "measure/mpi/mpi_binding.h"
#include "measure/user/marks.h"

static int accepting;
static uint64_t outside, of_threads, in_calls;
static uint32_t defined;

void mora_marks_start(void) { __atomic_store_n(&accepting, 1, __ATOMIC_RELAXED); }
void mora_marks_stop(void) { __atomic_store_n(&accepting, 0, __ATOMIC_RELAXED); }

static void write_note(uint64_t* count, enum mora_note note) {
  const uint64_t n = __atomic_exchange_n(count, 0, __ATOMIC_RELAXED);
  if (n > 0) mora_write_note(note, n);
}

void mora_marks_write_notes(void) {
  write_note(&outside, MORA_NOTE_MARKS_OUTSIDE);
  write_note(&of_threads, MORA_NOTE_MARKS_OF_THREADS);
  write_note(&in_calls, MORA_NOTE_MARKS_IN_CALLS);
}

/* 1: record it. While MPI_Pcontrol has recording off marks are recorded, so that they stay in pairs. */
static int admit_slow(void) {
  const int gate = mora_self.gate;
  uint64_t* count = &outside;
  if (__atomic_load_n(&accepting, __ATOMIC_RELAXED)) {
    switch (gate) {
      case MORA_GATE_OPEN:
      case MORA_GATE_OFF:
      case MORA_GATE_QUIET:
      case MORA_GATE_IDLE:
      case MORA_GATE_WAKE:
        return 1;
      case MORA_GATE_FOREIGN:
        count = &of_threads;
        break;
      case MORA_GATE_SHUT:
        count = &in_calls;
        break;
      default:
        mora_journal_lose(mora_self.journal, 1);
        return 0;
    }
  }
  __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
  return 0;
}

static inline int admit(void) {
  if (__builtin_expect(mora_threaded, 0) && mora_self.gate != MORA_GATE_FOREIGN && !mora_is_first_thread()) {
    __atomic_add_fetch(&of_threads, 1, __ATOMIC_RELAXED);
    return 0;
  }
  if (__builtin_expect(mora_self.gate == MORA_GATE_OPEN && __atomic_load_n(&accepting, __ATOMIC_RELAXED), 1)) return 1;
  return admit_slow();
}

/* A mark is no call: nothing says that the process is in one, and no stretch of computation begins behind it. */
static inline void leave(void) {
  mora_self.gate = mora_self.gate_resting;
  mora_threads_unlock();
}

static inline void write_mark(unsigned shape, uint32_t number, int argument, uint64_t ticks) {
  if (__builtin_expect(mora_has_samples(), 0)) mora_samples_write(ticks);
  mora_counters_here(ticks);
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = ticks;
  record[2] = 0;
  record[3] = number;
  record[4] = mora_pair(argument, 0);
  mora_publish_fact(record, 5, shape);
}

/* What the kernel counts of the thread is read just outside of the interval, and has the time of the mark. */
static inline void write_begin(uint32_t number, int argument) {
  uint64_t counters[MORA_CORE_COUNTERS], ticks = mora_ticks();
  int is_read = 0;
  if (__builtin_expect(ticks >= mora_core_mark_due, 0)) {
    is_read = mora_core_read_at_mark(ticks, counters);
    ticks = mora_ticks();
  }
  write_mark(MORA_SHAPE_MARK_BEGIN, number, argument, ticks);
  if (__builtin_expect(is_read, 0)) mora_core_write_at_mark(ticks, counters);
}

static inline void write_end(uint32_t number, int argument, uint64_t ticks) {
  write_mark(MORA_SHAPE_MARK_END, number, argument, ticks);
  if (__builtin_expect(ticks >= mora_core_mark_due, 0)) {
    uint64_t counters[MORA_CORE_COUNTERS];
    if (mora_core_read_at_mark(ticks, counters)) mora_core_write_at_mark(ticks, counters);
  }
}

/* Longer texts than a path and a name have are cut. */
enum { longest_file = 4096, longest_name = 1024 };

static uint64_t* put_text(uint64_t* words, const char* text, size_t bytes) {
  const size_t n = (bytes + 7) / 8;
  if (n > 0) {
    words[n - 1] = 0;
    memcpy(words, text, bytes);
  }
  return words + n;
}

static uint32_t define(unsigned kind, unsigned line, const char* file, size_t file_bytes, const char* name,
                       size_t name_bytes) {
  const unsigned words = 6 + (unsigned)((file_bytes + 7) / 8 + (name_bytes + 7) / 8);
  uint64_t* record = mora_journal_big(mora_self.journal, words);
  mora_fill_fact(record, ++defined);
  record[4] = mora_pair((int32_t)kind, (int32_t)line);
  record[5] = mora_pair((int32_t)file_bytes, (int32_t)name_bytes);
  put_text(put_text(record + 6, file, file_bytes), name, name_bytes);
  mora_publish_fact(record, words, MORA_SHAPE_DEFINE_MARK);
  return defined;
}

static void define_here(struct mora_mark* mark) {
  mark->number = define(mark->kind, mark->line, mark->file, mark->file ? strnlen(mark->file, longest_file) : 0,
                        mark->name, mark->name ? strnlen(mark->name, longest_name) : 0);
}

MORA_EXPORT void mora_mark_begin(struct mora_mark* mark, int argument) {
  if (!admit()) return;
  mora_self.gate = MORA_GATE_SHUT;
  mora_threads_lock(); /* until leave */
  if (__builtin_expect(mark->number == 0, 0)) define_here(mark);
  write_begin(mark->number, argument);
  leave();
}

MORA_EXPORT void mora_mark_end(struct mora_mark* mark, int argument) {
  if (!admit()) return;
  const uint64_t ticks = mora_ticks();
  mora_self.gate = MORA_GATE_SHUT;
  mora_threads_lock(); /* until leave */
  if (__builtin_expect(mark->number == 0, 0)) define_here(mark);
  write_end(mark->number, argument, ticks);
  leave();
}

/* Marks without static memory of their own (Fortran) are found by their texts, in a hash table. */
struct place {
  uint32_t kind, line, file_bytes, name_bytes;
  uint64_t text; /* file, then name; offset in texts */
};
static struct place* places; /* of number - 1, numbers of static marks left empty */
static uint32_t places_capacity;
static char* texts;
static uint32_t texts_capacity, texts_used;
static struct mora_map numbers; /* hash of a place → number */

static uint64_t hash_of(const struct place* place, const char* name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint32_t i = 0; i < place->name_bytes; i++) hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
  hash ^= (uint64_t)place->line << 32 | (uint64_t)place->file_bytes << 8 | place->kind;
  return hash ? hash : 1;
}

static int is_same(const struct place* known, const struct place* place, const char* file, const char* name) {
  return known->kind == place->kind && known->line == place->line && known->file_bytes == place->file_bytes &&
         known->name_bytes == place->name_bytes && memcmp(texts + known->text, file, place->file_bytes) == 0 &&
         memcmp(texts + known->text + place->file_bytes, name, place->name_bytes) == 0;
}

static uint32_t length(const char* text, unsigned long bytes, uint32_t longest) {
  uint32_t n = bytes < longest ? (uint32_t)bytes : longest;
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == 0)) n--;
  return n;
}

/* 0 without memory. */
static uint32_t number_of(struct place* place, const char* file, const char* name) {
  uint64_t hash = hash_of(place, name);
  for (struct mora_map_slot* slot; (slot = mora_map_find(&numbers, hash)); hash = hash + 1 ? hash + 1 : 1)
    if (is_same(&places[slot->value - 1], place, file, name)) return (uint32_t)slot->value;
  const uint32_t bytes = place->file_bytes + place->name_bytes;
  if (!mora_reserve((void**)&places, &places_capacity, defined + 1, sizeof *places) ||
      !mora_reserve((void**)&texts, &texts_capacity, texts_used + bytes, 1) ||
      !mora_map_set(&numbers, hash, defined + 1))
    return 0;
  place->text = texts_used;
  memcpy(texts + texts_used, file, place->file_bytes);
  memcpy(texts + texts_used + place->file_bytes, name, place->name_bytes);
  texts_used += bytes;
  places[defined] = *place;
  return define(place->kind, place->line, file, place->file_bytes, name, place->name_bytes);
}

static uint32_t number_at(unsigned kind, const char* file, unsigned long file_bytes, unsigned line, const char* name,
                          unsigned long name_bytes) {
  struct place place = {kind, line, length(file, file_bytes, longest_file), length(name, name_bytes, longest_name), 0};
  const uint32_t number = number_of(&place, file, name);
  if (number == 0) mora_journal_lose(mora_self.journal, 1);
  return number;
}

MORA_EXPORT void mora_mark_begin_at(unsigned kind, int argument, const char* file, unsigned long file_bytes,
                                    unsigned line, const char* name, unsigned long name_bytes);
MORA_EXPORT void mora_mark_end_at(unsigned kind, int argument, const char* file, unsigned long file_bytes,
                                  unsigned line, const char* name, unsigned long name_bytes);

/* For languages without static data of C's kind (mora.F90). Texts need no end; trailing blanks do not count. */
void mora_mark_begin_at(unsigned kind, int argument, const char* file, unsigned long file_bytes, unsigned line,
                        const char* name, unsigned long name_bytes) {
  if (!admit()) return;
  mora_self.gate = MORA_GATE_SHUT;
  mora_threads_lock(); /* until leave */
  const uint32_t number = number_at(kind, file, file_bytes, line, name, name_bytes);
  if (number != 0) write_begin(number, argument);
  leave();
}

void mora_mark_end_at(unsigned kind, int argument, const char* file, unsigned long file_bytes, unsigned line,
                      const char* name, unsigned long name_bytes) {
  if (!admit()) return;
  const uint64_t ticks = mora_ticks();
  mora_self.gate = MORA_GATE_SHUT;
  mora_threads_lock(); /* until leave */
  const uint32_t number = number_at(kind, file, file_bytes, line, name, name_bytes);
  if (number != 0) write_end(number, argument, ticks);
  leave();
}
