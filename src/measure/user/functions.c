#include "measure/user/functions.h"

#include <stdlib.h>
#include <string.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"

static int accepting;
static uint64_t of_threads;

void mora_functions_start(void) {
  const char* setting = getenv("MORA_FUNCTIONS");
  const int on = !mora_pattern && !(setting && strcmp(setting, "0") == 0);
  __atomic_store_n(&accepting, on, __ATOMIC_RELAXED);
}

void mora_functions_stop(void) { __atomic_store_n(&accepting, 0, __ATOMIC_RELAXED); }

void mora_functions_write_notes(void) {
  const uint64_t n = __atomic_exchange_n(&of_threads, 0, __ATOMIC_RELAXED);
  if (n > 0) mora_write_note(MORA_NOTE_FUNCTIONS_OF_THREADS, n);
}

static inline int admit(int is_begin) {
  if (!__atomic_load_n(&accepting, __ATOMIC_RELAXED)) return 0;
  if (mora_self.gate == MORA_GATE_SHUT || mora_self.gate == MORA_GATE_LOST) return 0;
  if (__builtin_expect(mora_is_first_thread(), 1)) return 1;
  if (is_begin) __atomic_add_fetch(&of_threads, 1, __ATOMIC_RELAXED);
  return 0;
}

static inline void write_function(unsigned shape, void* function, uint64_t ticks) {
  mora_self.gate = MORA_GATE_SHUT; /* what writing a chunk calls may be built like the program */
  if (__builtin_expect(mora_has_samples(), 0)) mora_samples_write(ticks);
  mora_counters_here(ticks);
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = ticks;
  record[2] = (uint64_t)(uintptr_t)function;
  record[3] = 0;
  mora_publish_fact(record, 4, shape);
  mora_self.gate = mora_self.gate_resting;
}

MORA_EXPORT void __cyg_profile_func_enter(void* function, void* site);
MORA_EXPORT void __cyg_profile_func_exit(void* function, void* site);

void __cyg_profile_func_enter(void* function, void* site) {
  (void)site;
  if (admit(1)) write_function(MORA_SHAPE_FUNCTION_BEGIN, function, mora_ticks());
}

void __cyg_profile_func_exit(void* function, void* site) {
  (void)site;
  if (admit(0)) write_function(MORA_SHAPE_FUNCTION_END, function, mora_ticks());
}
