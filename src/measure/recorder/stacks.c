/* What call.h needs of stacks. MPI_Init's stack is found before there is a journal: its frames are kept until then. */
#define _GNU_SOURCE
#include "measure/recorder/stacks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/recorder/recorder.h"
#include "measure/stack/check.h"
#include "measure/stack/interrupted.h"
#include "measure/stack/python_places.h"
#include "measure/stack/walk.h"

int mora_stacks;
int mora_stacks_are_plain;

static int is_open, is_impossible, is_checked;
static struct {
  uint32_t first, inner;
  unsigned count;
  uint64_t addresses[MORA_STACK_DEEPEST + 1];
} early;

static void define_place(uint32_t number, struct mora_python_lines lines, int32_t first_line, const char* file,
                         unsigned file_bytes, const char* name, unsigned name_bytes) {
  enum { head = 7 };
  const unsigned words = head + (file_bytes + 7) / 8 + (name_bytes + 7) / 8;
  uint64_t* record = mora_journal_big(mora_self.journal, words);
  mora_fill_fact(record, number);
  record[4] = mora_pair(lines.at, first_line);
  record[5] = mora_pair((int32_t)file_bytes, (int32_t)name_bytes);
  record[6] = mora_pair(lines.last, 0);
  memset(record + head, 0, (words - head) * sizeof *record);
  memcpy(record + head, file, file_bytes);
  memcpy(record + head + (file_bytes + 7) / 8, name, name_bytes);
  mora_publish_fact(record, words, MORA_SHAPE_DEFINE_PLACE);
}

void mora_stacks_write_places(void) { mora_python_tell(define_place); }

static void define(uint32_t first, uint32_t inner, const uint64_t* addresses, unsigned count) {
  if (!is_open) {
    early.first = first;
    early.inner = inner;
    early.count = count;
    memcpy(early.addresses, addresses, count * sizeof *addresses);
    return;
  }
  mora_stacks_write_places();
  uint64_t* record = mora_journal_big(mora_self.journal, 5 + count);
  mora_fill_fact(record, first);
  record[4] = mora_pair((int32_t)inner, (int32_t)count);
  memcpy(record + 5, addresses, count * sizeof *addresses);
  mora_publish_fact(record, 5 + count, MORA_SHAPE_DEFINE_STACK);
}

void mora_stacks_choose(void) {
  const char* setting = getenv("MORA_STACK");
  const unsigned long deepest = setting && !mora_pattern ? strtoul(setting, NULL, 10) : 0;
  if (deepest == 0) return;
  mora_stacks = mora_stack_start(deepest < MORA_STACK_DEEPEST ? (unsigned)deepest : MORA_STACK_DEEPEST, define);
  is_impossible = !mora_stacks;
  const char* unwinder = getenv("MORA_STACK_CHECK");
  is_checked = mora_stacks && unwinder && *unwinder && mora_stack_check_start(unwinder);
  mora_stacks_are_plain = mora_stacks && !is_checked && mora_clock_is_tsc;
}

void mora_stacks_open(struct mora_call* call) {
  is_open = 1;
  if (early.count > 0) define(early.first, early.inner, early.addresses, early.count);
  if (mora_pattern) return;
  mora_stack_start_python();
  if ((mora_python_is_on || mora_python_is_awaited) && mora_stacks_are_plain) {
    mora_stacks_are_plain = 0; /* functions of Python come behind what is remembered of a call */
    mora_choose_functions();
  }
  const uint64_t site = (uint64_t)(uintptr_t)call->site;
  if (mora_python_is_on && (site & MORA_SITE_STACK))
    call->site = (void*)(uintptr_t)(MORA_SITE_STACK | mora_stack_in_python((uint32_t)(site & ~MORA_SITE_STACK)));
}

void mora_stacks_write_notes(void) {
  if (mora_stack_refused) mora_write_note(MORA_NOTE_STACKS, mora_stack_refused);
  if (is_impossible) mora_write_note(MORA_NOTE_NO_STACKS, 1);
  if (mora_python_is_refused || mora_python_is_awaited) mora_write_note(MORA_NOTE_NO_PYTHON, 1);
  if (mora_stacks_checked) mora_write_note(MORA_NOTE_STACKS_CHECKED, mora_stacks_checked);
  if (mora_stacks_different) mora_write_note(MORA_NOTE_STACKS_DIFFERENT, mora_stacks_different);
  mora_stack_refused = mora_stacks_checked = mora_stacks_different = 0;
  is_impossible = mora_python_is_refused = mora_python_is_awaited = 0;
}

void mora_stacks_begin_thread(void) {
  if (mora_stacks)
    mora_self.thread->stacks = mora_stack_start_thread(mora_self.thread->stacks);
  else /* for samples */
    mora_self.thread->python = mora_python_start_thread(mora_self.thread->python);
}

static inline uint64_t site_of(void* site, const void* own_frame) {
  uint32_t number = mora_stack_number(own_frame, site);
  if (__builtin_expect(is_checked, 0) && number && mora_is_first_thread()) mora_stack_check(number, site);
  if (__builtin_expect(mora_python_is_on, 0) && number) number = mora_stack_in_python(number);
  return number ? MORA_SITE_STACK | number : (uint64_t)(uintptr_t)site;
}

uint64_t mora_site_of(void* site, const void* own_frame) {
  return mora_stacks ? site_of(site, own_frame) : (uint64_t)(uintptr_t)site;
}

static inline void enter(struct mora_call* call, void* site, const void* own_frame) {
  mora_enter(call, (void*)(uintptr_t)site_of(site, own_frame));
}

/* The end of mora_begin_stack where a reading of the kernel's counters may be due. */
static __attribute__((noinline, cold)) void look_at_core(struct mora_call* call) {
  call->begin = mora_core_before_call(call->begin);
  mora_self.journal->state->begin = call->begin;
}

/* All of mora_begin_stack, of a call that is not like an earlier one. It stands in the place of that function. */
static __attribute__((noinline)) void begin_walked(struct mora_call* call, void* site) {
  enter(call, site, __builtin_frame_address(0));
}

void mora_begin_stack(struct mora_call* call, void* site) {
  const uint32_t number = mora_stack_known(__builtin_frame_address(0), site);
  if (__builtin_expect(number == 0, 0)) {
    begin_walked(call, site);
    return;
  }
  const uint64_t known = MORA_SITE_STACK | number;
  call->site = (void*)(uintptr_t)known;
  mora_self.gate = MORA_GATE_SHUT;
  const uint64_t begin = mora_ticks_of_tsc();
  call->begin = begin;
  struct mora_state* state = mora_self.journal->state;
  state->begin = begin;
  state->site = known;
  if (__builtin_expect(begin >= mora_self.core_due, 0)) look_at_core(call);
}

int mora_begin_otherwise(struct mora_call* call, void* site) {
  const unsigned function = call->function;
  switch (mora_enabled[function]) {
    case MORA_RECORDED_SLOWLY:
      enter(call, site, __builtin_frame_address(0));
      return 1;
    case MORA_LEFT_OUT:
      return mora_begin_left_out(call, function, site);
    default:
      return 0;
  }
}

int mora_enter_stack(struct mora_call* call, void* site) {
  enter(call, site, __builtin_frame_address(0));
  return 1;
}

/* The program's, to know when rules of addresses may have changed, and what was there before. */
MORA_EXPORT int dlclose(void* library) {
  static int (*real)(void*);
  if (!real) real = (int (*)(void*))dlsym(RTLD_NEXT, "dlclose");
  if (is_open && mora_self.gate != MORA_GATE_SHUT && mora_self.gate != MORA_GATE_FOREIGN) mora_recorder_save_maps();
  const int failure = real ? real(library) : -1;
  mora_stack_code_unloaded();
  mora_interrupted_code_unloaded();
  return failure;
}
