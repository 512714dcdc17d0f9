#define _GNU_SOURCE
#include "measure/stack/python_places.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int mora_python_is_on, mora_python_is_refused, mora_python_is_awaited;

enum { most_places = 1 << 14, slots = 2 * most_places, text_bytes = 1 << 20 };

struct place {
  struct mora_python_code code;
  uint64_t content;
  struct mora_python_lines lines;
  uint32_t text, next; /* where its names begin while they are not told; with the same hash */
  uint16_t file_bytes, name_bytes;
  uint8_t is_made;
};

struct mora_python {
  struct place places[most_places + 1]; /* from 1 */
  uint32_t table[slots];
  uint32_t used, told, text_used;
  volatile int is_changing; /* a handler stays away */
  uint8_t table_copy[MORA_PYTHON_TABLE_BYTES];
  char texts[text_bytes];
};

static __thread struct mora_python* own;

static struct mora_python* make(void) {
  void* room = mmap(NULL, sizeof(struct mora_python), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room == MAP_FAILED ? NULL : room;
}

/* By the interpreter, in any thread; `own` is that of the thread that initialised MPI, and not in use until then. */
static int confirm_later(void* own_of_first) {
  if (!mora_python_is_awaited) return 0;
  const int is_confirmed = mora_python_confirm(((struct mora_python*)own_of_first)->table_copy);
  mora_python_is_refused = !is_confirmed;
  __atomic_store_n(&mora_python_is_on, is_confirmed, __ATOMIC_RELEASE);
  mora_python_is_awaited = 0;
  return 0;
}

struct mora_python* mora_python_start(void) {
  if (!mora_python_is_here()) return NULL;
  own = make();
  if (own && !mora_python_has_lock()) {
    mora_python_is_awaited = 1;
    if (!mora_python_when_locked(confirm_later, own)) {
      mora_python_is_awaited = 0;
      mora_python_is_refused = 1;
    }
    return own;
  }
  mora_python_is_on = own && mora_python_confirm(own->table_copy);
  mora_python_is_refused = !mora_python_is_on;
  return own;
}

struct mora_python* mora_python_start_thread(struct mora_python* earlier) {
  if (!mora_python_is_on && !mora_python_is_awaited) return NULL;
  return own = earlier ? earlier : make();
}

/* Whether other code may come to stand at the same address with the same names: that of no file, which is made while
 * the program runs. */
static int is_made(const char* text, unsigned bytes) {
  char file[MORA_PYTHON_FILE_BYTES + 1];
  if (bytes == 0 || text[0] == '<') return 1;
  const int error = errno;
  memcpy(file, text, bytes);
  file[bytes] = 0;
  const int is_missing = access(file, F_OK) != 0;
  errno = error;
  return is_missing;
}

static int is_here(const struct place* place, const struct mora_python_code* code, enum mora_python_reading reading) {
  if (place->code.code != code->code || place->code.instruction != code->instruction) return 0;
  if (place->is_made) return place->content == mora_python_content(code, reading);
  return place->code.file == code->file && place->code.name == code->name && place->code.table == code->table &&
         place->code.first_line == code->first_line;
}

int mora_python_is_at(uint64_t address, const struct mora_python_code* code) {
  const uint64_t number = address - MORA_STACK_PYTHON;
  return own && number - 1 < own->used && is_here(&own->places[number], code, MORA_PYTHON_IN_CALL);
}

static uint64_t place_of(struct mora_python* p, const struct mora_python_code* code, enum mora_python_reading reading) {
  const uint64_t hash = (code->code ^ code->instruction << 40) * UINT64_C(0x9E3779B97F4A7C15);
  uint32_t* slot = &p->table[hash >> 40 & (slots - 1)];
  for (uint32_t n = *slot; n; n = p->places[n].next)
    if (is_here(&p->places[n], code, reading)) return MORA_STACK_PYTHON + n;
  if (p->used == most_places || p->text_used + MORA_PYTHON_FILE_BYTES + MORA_PYTHON_NAME_BYTES > text_bytes) return 0;
  struct place* place = &p->places[p->used + 1];
  char* text = p->texts + p->text_used;
  *place = (struct place){.code = *code, .text = p->text_used, .next = *slot};
  place->file_bytes = (uint16_t)mora_python_file(code, text);
  place->name_bytes = (uint16_t)mora_python_name(code, text + place->file_bytes);
  if (place->name_bytes == 0) return 0; /* cannot be read: the interpreter was interrupted */
  place->is_made = (uint8_t)is_made(text, place->file_bytes);
  place->content = mora_python_content(code, reading);
  place->lines = mora_python_lines(code, p->table_copy);
  p->text_used += place->file_bytes + place->name_bytes;
  return MORA_STACK_PYTHON + (*slot = ++p->used);
}

static void begin_change(struct mora_python* p) {
  p->is_changing = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void end_change(struct mora_python* p) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  p->is_changing = 0;
}

uint64_t mora_python_place(const struct mora_python_code* code) {
  if (!own) return 0;
  begin_change(own);
  const uint64_t place = place_of(own, code, MORA_PYTHON_IN_CALL);
  end_change(own);
  return place;
}

unsigned mora_python_interrupted(uint64_t* addresses, unsigned most) {
  unsigned count = 0;
  if (!own || own->is_changing) return 0;
  uintptr_t frame = mora_python_innermost(MORA_PYTHON_IN_HANDLER);
  for (unsigned steps = 0; frame && steps < 2 * most; steps++) {
    struct mora_python_code code;
    uintptr_t outside = 0;
    if (mora_python_look(frame, MORA_PYTHON_IN_HANDLER, &code, &outside)) {
      const uint64_t place = place_of(own, &code, MORA_PYTHON_IN_HANDLER);
      if (!place) return 0;
      if (count + 1 == most) {
        addresses[count++] = MORA_STACK_TOO_DEEP;
        return count;
      }
      addresses[count++] = place;
    }
    frame = outside;
  }
  return count;
}

void mora_python_tell(mora_python_define* define) {
  struct mora_python* p = own;
  if (!p || p->told == p->used) return;
  begin_change(p);
  while (p->told < p->used) {
    const struct place* place = &p->places[++p->told];
    const char* text = p->texts + place->text;
    define(p->told, place->lines, place->code.first_line, text, place->file_bytes, text + place->file_bytes,
           place->name_bytes);
  }
  p->text_used = 0;
  end_change(p);
}
