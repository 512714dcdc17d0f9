/* Why this may be done: python_frames.h. Offsets are those of CPython's headers (cpython/code.h, cpython/pystate.h,
 * internal/pycore_frame.h; of 3.9 and 3.10 cpython/frameobject.h) on x86-64; line tables: Objects/lnotab_notes.txt and
 * Objects/locations.md of the version's source. */
#define _GNU_SOURCE
#include "measure/stack/python_frames.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum line_table { increments, ranges, locations };

static const struct layout {
  uint8_t minor;                                  /* of version 3 */
  uint8_t thread_frames;                          /* in the thread state: the innermost frame, or … */
  int8_t frames_at;                               /* … where it stands in what that points to; -1: not so */
  uint8_t code, outside, instruction, owner;      /* in a frame; owner 0: every frame is one of Python */
  uint8_t index_unit;                             /* instruction: a number of so many bytes; 0: an address */
  uint8_t first_line, file, name, table, program; /* in a code object */
  uint8_t ascii, compact;                         /* bytes of a string's head */
  uint8_t kind;                                   /* enum line_table */
} layouts[] = {{9, 24, -1, 32, 24, 104, 0, 1, 40, 104, 112, 120, 0, 48, 72, increments},
               {10, 24, -1, 32, 24, 96, 0, 2, 40, 104, 112, 120, 0, 48, 72, ranges},
               {11, 56, 8, 32, 48, 56, 0, 0, 72, 112, 128, 136, 184, 48, 72, locations},
               {12, 56, 0, 0, 8, 56, 70, 0, 68, 112, 128, 136, 192, 40, 56, locations},
               {13, 72, -1, 0, 8, 56, 70, 0, 68, 112, 128, 136, 200, 40, 56, locations}};

enum { frame_bytes = 72, frame_object_bytes = 112, code_bytes = 144, of_c_stack = 3, deepest_confirmed = 200 };
enum { sized_length = 16, bytes_head = 32, string_state = 32, most_content = 256 };

static struct layout at;
static pid_t own_pid;
static void* (*this_thread_state)(void);
static int (*is_initialised)(void);

static int fetch(void* to, uintptr_t from, size_t bytes, enum mora_python_reading reading) {
  if (reading == MORA_PYTHON_IN_CALL) {
    memcpy(to, (const void*)from, bytes);
    return 1;
  }
  const struct iovec here = {to, bytes}, there = {(void*)from, bytes};
  return syscall(SYS_process_vm_readv, own_pid, &here, 1, &there, 1, 0) == (long)bytes;
}

static uintptr_t word_in(const void* bytes, unsigned offset) {
  uintptr_t word;
  memcpy(&word, (const char*)bytes + offset, sizeof word);
  return word;
}

static int32_t number_in(const void* bytes, unsigned offset) {
  int32_t number;
  memcpy(&number, (const char*)bytes + offset, sizeof number);
  return number;
}

uintptr_t mora_python_innermost(enum mora_python_reading reading) {
  if (!is_initialised()) return 0;
  const uintptr_t thread = (uintptr_t)this_thread_state();
  uintptr_t frame = 0;
  if (!thread || !fetch(&frame, thread + at.thread_frames, sizeof frame, reading)) return 0;
  if (frame && at.frames_at >= 0 && !fetch(&frame, frame + (uintptr_t)at.frames_at, sizeof frame, reading)) return 0;
  return frame;
}

static inline void take_apart(const void* frame, const void* code, struct mora_python_code* found) {
  found->instruction = at.index_unit ? (uintptr_t)((intptr_t)number_in(frame, at.instruction) * at.index_unit)
                                     : word_in(frame, at.instruction) - found->code - at.program;
  found->file = word_in(code, at.file);
  found->name = word_in(code, at.name);
  found->table = word_in(code, at.table);
  found->first_line = number_in(code, at.first_line);
}

int mora_python_look(uintptr_t frame, enum mora_python_reading reading, struct mora_python_code* found,
                     uintptr_t* outside) {
  if (reading == MORA_PYTHON_IN_CALL) {
    const void* here = (const void*)frame;
    *outside = word_in(here, at.outside);
    if (at.owner && ((const char*)here)[at.owner] == of_c_stack) return 0;
    found->code = word_in(here, at.code);
    if (!found->code) return 0;
    take_apart(here, (const void*)found->code, found);
    return 1;
  }
  char copy[frame_object_bytes], code[code_bytes];
  *outside = 0;
  if (!fetch(copy, frame, at.index_unit ? frame_object_bytes : frame_bytes, reading)) return 0;
  *outside = word_in(copy, at.outside);
  if (at.owner && copy[at.owner] == of_c_stack) return 0;
  found->code = word_in(copy, at.code);
  if (!found->code || !fetch(code, found->code, sizeof code, reading)) return 0;
  take_apart(copy, code, found);
  return 1;
}

static unsigned put_utf8(uint32_t c, unsigned char* to) {
  if (c >= 0xd800 && c < 0xe000) c = '?'; /* bytes of a file's name that are no text */
  if (c < 0x80) return to[0] = (unsigned char)c, 1;
  const unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  to[0] = (unsigned char)(first[more] | c >> 6 * more);
  for (unsigned i = 1; i <= more; i++) to[i] = (unsigned char)(0x80 | (c >> 6 * (more - i) & 0x3f));
  return more + 1;
}

/* A string, at most `room` bytes of it. */
static unsigned read_text(uintptr_t string, char* text, unsigned room) {
  char head[40];
  if (!string || !fetch(head, string, sizeof head, MORA_PYTHON_IN_HANDLER)) return 0;
  const unsigned state = (unsigned)number_in(head, string_state);
  const unsigned width = state >> 2 & 7;
  const int is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
  uintptr_t length = word_in(head, sized_length);
  if (!is_compact || (width != 1 && width != 2 && width != 4)) return 0;
  if (length > room) length = room;
  if (is_ascii) return fetch(text, string + at.ascii, length, MORA_PYTHON_IN_HANDLER) ? (unsigned)length : 0;
  unsigned bytes = 0;
  for (uintptr_t i = 0; i < length && bytes + 4 <= room; i++) {
    uint32_t c = 0; /* little-endian */
    if (!fetch(&c, string + at.compact + i * width, width, MORA_PYTHON_IN_HANDLER)) return 0;
    bytes += put_utf8(c, (unsigned char*)text + bytes);
  }
  return bytes;
}

unsigned mora_python_file(const struct mora_python_code* code, char* text) {
  return read_text(code->file, text, MORA_PYTHON_FILE_BYTES);
}

unsigned mora_python_name(const struct mora_python_code* code, char* text) {
  return read_text(code->name, text, MORA_PYTHON_NAME_BYTES);
}

/* A range of instructions that ends in front of `end` is at `line` (0: at none). */
static void take_range(struct mora_python_lines* lines, intptr_t end, int32_t line, intptr_t wanted, int* is_found) {
  if (line > lines->last) lines->last = line;
  if (*is_found || wanted >= end) return;
  lines->at = line;
  *is_found = 1;
}

/* 3.9: pairs of what to add to the address and then to the line. */
static void read_increments(const uint8_t* table, size_t bytes, int32_t line, intptr_t wanted,
                            struct mora_python_lines* lines) {
  intptr_t end = 0;
  int is_found = 0;
  for (size_t i = 0; i + 1 < bytes; i += 2) {
    end += table[i];
    if (table[i] > 0) take_range(lines, end, line, wanted, &is_found);
    line += (int8_t)table[i + 1];
  }
  take_range(lines, INTPTR_MAX, line, wanted, &is_found);
}

/* 3.10: pairs of a range's bytes and what to add to the line before it; -128: no line. */
static void read_ranges(const uint8_t* table, size_t bytes, int32_t line, intptr_t wanted,
                        struct mora_python_lines* lines) {
  intptr_t end = 0;
  int is_found = 0;
  for (size_t i = 0; i + 1 < bytes; i += 2) {
    const int8_t more = (int8_t)table[i + 1];
    end += table[i];
    if (more != -128) line += more;
    if (table[i] > 0) take_range(lines, end, more == -128 ? 0 : line, wanted, &is_found);
  }
}

/* From 3.11: entries whose first byte has its highest bit set, of 1 to 8 instructions each. */
static void read_locations(const uint8_t* table, size_t bytes, int32_t line, intptr_t wanted,
                           struct mora_python_lines* lines) {
  enum { one_line = 10, without_columns = 13, with_end = 14, no_line = 15, instruction_bytes = 2 };
  intptr_t end = 0;
  int is_found = 0;
  for (size_t i = 0; i < bytes;) {
    const unsigned kind = table[i] >> 3 & 15;
    end += ((table[i] & 7) + 1) * instruction_bytes;
    i++;
    if (kind == without_columns || kind == with_end) {
      uint32_t value = 0;
      for (unsigned shift = 0; i < bytes && shift < 30; shift += 6) {
        value |= (uint32_t)(table[i] & 63) << shift;
        if (!(table[i++] & 64)) break;
      }
      line += value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
    } else if (kind >= one_line && kind < without_columns) {
      line += (int32_t)kind - one_line;
    }
    take_range(lines, end, kind == no_line ? 0 : line, wanted, &is_found);
    while (i < bytes && !(table[i] & 128)) i++;
  }
}

struct mora_python_lines mora_python_lines(const struct mora_python_code* code, uint8_t* table) {
  const intptr_t wanted = (intptr_t)code->instruction;
  struct mora_python_lines lines = {0, code->first_line};
  uintptr_t bytes = 0;
  if (!code->table || !fetch(&bytes, code->table + sized_length, sizeof bytes, MORA_PYTHON_IN_HANDLER)) return lines;
  if (bytes > MORA_PYTHON_TABLE_BYTES) bytes = MORA_PYTHON_TABLE_BYTES;
  if (!fetch(table, code->table + bytes_head, bytes, MORA_PYTHON_IN_HANDLER)) return lines;
  if (at.kind == increments)
    read_increments(table, bytes, code->first_line, wanted, &lines);
  else if (at.kind == ranges)
    read_ranges(table, bytes, code->first_line, wanted, &lines);
  else
    read_locations(table, bytes, code->first_line, wanted, &lines);
  if (wanted < 0) lines.at = code->first_line; /* begins */
  return lines;
}

/* `bytes` of an object behind its head, at most some. */
static uint64_t mix(uint64_t hash, uintptr_t from, size_t bytes, enum mora_python_reading reading) {
  uint64_t words[most_content / 8];
  if (bytes > most_content) bytes = most_content;
  words[bytes > 0 ? (bytes - 1) / 8 : 0] = 0;
  if (!fetch(words, from, bytes, reading)) return 0;
  for (size_t i = 0; i < (bytes + 7) / 8; i++) hash = ((hash ^ words[i]) + (hash >> 29)) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ bytes;
}

uint64_t mora_python_content(const struct mora_python_code* code, enum mora_python_reading reading) {
  const uintptr_t objects[] = {code->file, code->name, code->table};
  uint64_t hash = (uint64_t)(uint32_t)code->first_line + 1;
  for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
    char head[40];
    if (!objects[i] || !fetch(head, objects[i], sizeof head, reading)) return 0;
    const unsigned state = (unsigned)number_in(head, string_state);
    unsigned begin = bytes_head, unit = 1;
    if (i < 2) {
      begin = state >> 6 & 1 ? at.ascii : at.compact;
      unit = state >> 2 & 7;
    }
    hash = mix(hash, objects[i] + begin, word_in(head, sized_length) * unit, reading);
  }
  return hash;
}

/* The documented functions, as far as they are needed to confirm. Objects are references of ours unless said. */
static struct {
  const char* (*version)(void);
  int (*has_lock)(void);
  void* (*frame_of)(void* thread);
  void* (*back)(void* frame);
  void* (*code_of)(void* frame);
  int (*line_of)(void* frame);
  void* (*attribute)(void* object, const char* name);
  const char* (*utf8)(void* string, intptr_t* bytes);
  void* (*pending)(void); /* borrowed */
  void (*clear)(void);
  void (*release)(void* object);
} documented;

static int find_functions(void) {
  static const struct {
    const char* name;
    void* to;
  } wanted[] = {{"PyGILState_GetThisThreadState", &this_thread_state},
                {"Py_GetVersion", &documented.version},
                {"PyGILState_Check", &documented.has_lock},
                {"PyThreadState_GetFrame", &documented.frame_of},
                {"PyFrame_GetBack", &documented.back},
                {"PyFrame_GetCode", &documented.code_of},
                {"PyFrame_GetLineNumber", &documented.line_of},
                {"PyObject_GetAttrString", &documented.attribute},
                {"PyUnicode_AsUTF8AndSize", &documented.utf8},
                {"PyErr_Occurred", &documented.pending},
                {"PyErr_Clear", &documented.clear},
                {"Py_DecRef", &documented.release}};
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void* found = dlsym(RTLD_DEFAULT, wanted[i].name);
    if (!found) return 0;
    memcpy(wanted[i].to, &found, sizeof found);
  }
  return 1;
}

static int is_text_of(void* object, const char* attribute, const char* text, unsigned bytes) {
  void* string = documented.attribute(object, attribute);
  intptr_t length = 0;
  const char* said = string ? documented.utf8(string, &length) : NULL;
  const int is_equal = said && (uintptr_t)length == bytes && memcmp(said, text, bytes) == 0;
  if (!said) documented.clear();
  if (string) documented.release(string);
  return is_equal;
}

static int is_confirmed(void* frame, void* code, const struct mora_python_code* found, uint8_t* table) {
  static char text[MORA_PYTHON_FILE_BYTES];
  const int line = documented.line_of(frame);
  return found->code == (uintptr_t)code && mora_python_lines(found, table).at == (line > 0 ? line : 0) &&
         is_text_of(code, "co_filename", text, mora_python_file(found, text)) &&
         is_text_of(code, at.minor >= 11 ? "co_qualname" : "co_name", text, mora_python_name(found, text));
}

/* All frames of the thread, one by one. */
static int are_confirmed(uint8_t* table) {
  uintptr_t frame = mora_python_innermost(MORA_PYTHON_IN_HANDLER);
  void* documented_frame = documented.frame_of(this_thread_state());
  unsigned count = 0;
  int is_good = documented_frame != NULL;
  while (is_good && documented_frame && count < deepest_confirmed) {
    struct mora_python_code found;
    uintptr_t outside = 0;
    while (frame && !mora_python_look(frame, MORA_PYTHON_IN_HANDLER, &found, &outside)) frame = outside;
    void* code = documented.code_of(documented_frame);
    is_good = frame != 0 && is_confirmed(documented_frame, code, &found, table);
    documented.release(code);
    void* back = documented.back(documented_frame);
    documented.release(documented_frame);
    documented_frame = back;
    frame = outside;
    count++;
  }
  if (documented_frame) {
    documented.release(documented_frame);
    return is_good;
  }
  struct mora_python_code found;
  while (frame && !mora_python_look(frame, MORA_PYTHON_IN_HANDLER, &found, &frame)) continue;
  return is_good && frame == 0;
}

int mora_python_is_here(void) {
  void* found = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  memcpy(&is_initialised, &found, sizeof found);
  return found && is_initialised();
}

int mora_python_has_lock(void) { return find_functions() && this_thread_state() && documented.has_lock(); }

int mora_python_when_locked(int (*function)(void*), void* argument) {
  int (*add)(int (*)(void*), void*);
  void* found = dlsym(RTLD_DEFAULT, "Py_AddPendingCall");
  memcpy(&add, &found, sizeof found);
  return found && add(function, argument) == 0;
}

int mora_python_confirm(uint8_t* table) {
  if (!mora_python_has_lock() || documented.pending()) return 0;
  char* rest = NULL;
  const char* version = documented.version();
  if (strtoul(version, &rest, 10) != 3 || *rest != '.') return 0;
  const unsigned long minor = strtoul(rest + 1, NULL, 10);
  own_pid = getpid();
  for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    if (layouts[i].minor != minor) continue;
    at = layouts[i];
    return are_confirmed(table);
  }
  return 0;
}
