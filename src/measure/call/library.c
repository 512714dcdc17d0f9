/* Functions of other libraries: their names, and the way to them (library.h). */
#define _GNU_SOURCE
#include "measure/call/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void* mora_look_for_next(const char* name, const char* library) {
  void* loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD); /* kept: it stays if the program unloads it */
  void* real = dlsym(RTLD_NEXT, name);
  return real || !loaded ? real : dlsym(loaded, name);
}

void* mora_find_next(const char* name, const char* library) {
  void* real = mora_look_for_next(name, library);
  if (!real) {
    fprintf(stderr, "mora: no library has %s\n", name);
    abort();
  }
  return real;
}

void mora_library_define(struct mora_library_function* function, unsigned number) {
  if (__atomic_load_n(&function->is_defined, __ATOMIC_RELAXED) ||
      __atomic_exchange_n(&function->is_defined, 1, __ATOMIC_RELAXED))
    return;
  const size_t bytes = strlen(function->name);
  const unsigned words = 5 + (unsigned)((bytes + 7) / 8);
  uint64_t* record = mora_journal_big(mora_self.journal, words);
  mora_fill_fact(record, number);
  record[4] = mora_pair(function->library, (int32_t)bytes);
  record[words - 1] = 0;
  memcpy(record + 5, function->name, bytes);
  mora_publish_fact(record, words, MORA_SHAPE_DEFINE_FUNCTION);
}

int mora_library_gate_opens(void) {
  if (mora_self.gate == MORA_GATE_LOST) mora_journal_lose(mora_self.journal, 1);
  return mora_gate_opens();
}

int mora_library_enter(struct mora_call* call, struct mora_library_function* function, unsigned number, void* site) {
  if (mora_pattern) return 0;
  mora_library_define(function, number);
  mora_name(call, number, 0);
  if (mora_stacks)
    mora_enter_stack(call, site);
  else
    mora_enter(call, site);
  mora_open(mora_self.journal->state, number, 0);
  return 1;
}
